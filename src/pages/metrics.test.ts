import { get } from "node:http";
import { afterEach, expect, it } from "vitest";
import { type Monitored, metricsText, serveMetrics } from "./metrics.js";

let server: Awaited<ReturnType<typeof serveMetrics>> | undefined;
afterEach(() => server?.close());

async function serve(monitored: Monitored) {
  server = await serveMetrics(monitored, 0);
  return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server!.port}${path}`, init);
}

it("is Prometheus' text, with quotes and line ends of names escaped", () => {
  const samples = [{ labels: { state: 'a "b"\\\n' }, value: 2 }, { value: 0.5 }];
  expect(
    metricsText([
      { name: "jobs", help: "Jobs.", samples },
      { name: "none", help: "", samples: [] },
    ]),
  ).toBe('# HELP jobs Jobs.\n# TYPE jobs gauge\njobs{state="a \\"b\\"\\\\\\n"} 2\njobs 0.5\n');
});

it("answers /metrics and /health and nothing else, and says by its code whether all is well", async () => {
  let healthy = true;
  const get = await serve({
    health: () => ({ healthy, status: healthy ? "connected" : "not connected" }),
    metrics: () => [{ name: "moiety_jobs", help: "Jobs.", samples: [{ value: 3 }] }],
  });
  const metrics = await get("/metrics");
  expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4");
  expect(await metrics.text()).toMatch(
    /^moiety_jobs 3$[\s\S]*^moiety_healthy 1$[\s\S]*^process_resident_memory_bytes \d+$/m,
  );
  expect((await get("/health")).status).toBe(200);
  healthy = false;
  const ill = await get("/health");
  expect([ill.status, await ill.json()]).toEqual([503, { healthy: false, status: "not connected" }]);
  expect((await get("/jobs")).status).toBe(404);
  expect((await get("/metrics", { method: "POST" })).status).toBe(405);
});

it("answers nobody who comes by another name", async () => {
  await serve({ health: () => ({ healthy: true, status: "" }), metrics: () => [] });
  const status = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = get({ port: server!.port, host: "127.0.0.1", path: "/metrics", headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once("error", reject);
    });
  for (const name of ["127.0.0.1", "localhost"]) expect(await status(`${name}:${server!.port}`)).toBe(200);
  for (const name of ["elsewhere.example", `elsewhere.example:${server!.port}`, "127.0.0.1"]) {
    expect(await status(name)).toBe(403);
  }
});

it("says which port cannot be used", async () => {
  await serve({ health: () => ({ healthy: true, status: "" }), metrics: () => [] });
  await expect(
    serveMetrics({ health: () => ({ healthy: true, status: "" }), metrics: () => [] }, server!.port),
  ).rejects.toThrow(/port \d+ of `metrics` cannot be used \(EADDRINUSE\): choose another one/);
});
