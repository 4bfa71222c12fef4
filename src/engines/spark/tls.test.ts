// Slow: starts the command in processes of its own, which read certificates as they start.
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "../../cli/testing/command.js";
import { certifyLocalhost, type LocalCertificate, tlsBefore } from "../testing/tls.js";

const work = new Workplace();
const token = "open-sesame-4711";
let trusted: LocalCertificate;

beforeAll(async () => {
  trusted = await certifyLocalhost();
  work.write("authority.pem", trusted.authority);
  work.write("other.pem", (await certifyLocalhost()).authority);
});

/** What a run says that has this token, and trusts the authority of this file. */
async function said(port: number, given: string, authority: string | undefined) {
  const { NODE_EXTRA_CA_CERTS: _, GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: __, ...environment } = process.env;
  const env = { ...environment, ...(authority ? { NODE_EXTRA_CA_CERTS: work.path(authority) } : {}) };
  const address = `sc://localhost:${port}/;use_ssl=true;token=${given}?table=nobody_has_it`;
  const { done } = work.start({ env }, "cluster", address, "--k", "2", "--id", "person");
  const { code, stdout, stderr } = await done;
  return { code, stdout, line: stderr };
}

function refusals(port: () => number): void {
  it("is reached where its authority is trusted and the token is right", async () => {
    const { code, line } = await said(port(), token, "authority.pem");
    expect(line).toMatch(/unknown table 'nobody_has_it'|TABLE_OR_VIEW_NOT_FOUND/);
    expect(code).toBe(2);
  });

  for (const authority of ["other.pem", undefined]) {
    it(`is refused in one line where ${authority === undefined ? "no" : "another"} private authority is trusted`, async () => {
      const { code, stdout, line } = await said(port(), token, authority);
      expect(line).toBe(
        `moiety: the certificate of sc://localhost:${port()}/;use_ssl=true;token=… is not trusted here: name the file of its authority's certificate in NODE_EXTRA_CA_CERTS\n`,
      );
      expect([code, stdout]).toEqual([1, ""]);
    });
  }

  it("refuses a wrong token in one line without it", async () => {
    const { code, stdout, line } = await said(port(), "hunter2", "authority.pem");
    expect(line).toBe(
      `moiety: sc://localhost:${port()}/;use_ssl=true;token=… refuses this user or token: give it in SPARK_CONNECT_TOKEN\n`,
    );
    expect([code, stdout]).toEqual([2, ""]);
  });
}

describe("a gRPC server behind TLS", () => {
  const server = new Server();
  let bound = 0;
  beforeAll(async () => {
    const asTheyAre = (bytes: Buffer) => bytes;
    const method = (name: string, responseStream: boolean) => ({
      ...{ path: `/spark.connect.SparkConnectService/${name}`, requestStream: false, responseStream },
      ...{ requestSerialize: asTheyAre, requestDeserialize: asTheyAre },
      ...{ responseSerialize: asTheyAre, responseDeserialize: asTheyAre },
    });
    const names = ["AnalyzePlan", "Config", "ReleaseSession"];
    const isKnown = (metadata: { get(key: string): unknown[] }) =>
      metadata.get("authorization")[0] === `Bearer ${token}`;
    server.addService(
      Object.fromEntries([
        ...names.map((name) => [name, method(name, false)]),
        ["ExecutePlan", method("ExecutePlan", true)],
      ]),
      {
        ...Object.fromEntries(
          names.map((name) => [
            name,
            (
              call: { metadata: { get(key: string): unknown[] } },
              answer: (error: object | null, value?: Buffer) => void,
            ) => (isKnown(call.metadata) ? answer(null, Buffer.alloc(0)) : answer({ code: status.UNAUTHENTICATED })),
          ]),
        ),
        ExecutePlan: (call: { emit(event: string, error: object): void }) =>
          call.emit("error", { code: status.INTERNAL, details: "[TABLE_OR_VIEW_NOT_FOUND] no such table" }),
      },
    );
    const [cert_chain, private_key] = [trusted.certificate, trusted.key].map((pem) => Buffer.from(pem));
    const secured = ServerCredentials.createSsl(null, [{ cert_chain, private_key }]);
    bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", secured, (error, port) => (error ? reject(error) : resolve(port)));
    });
  });
  afterAll(() => server.forceShutdown());
  refusals(() => bound);
});

/** A Connect server in the open that wants this file's token: `npm run test:spark` starts one. */
const spark = process.env.MOIETY_SPARK_WITH_TOKEN;
const title =
  spark === undefined
    ? "in Spark behind TLS: no server is named (npm run test:spark starts one)"
    : "in Spark behind TLS";
describe.skipIf(spark === undefined)(title, () => {
  let proxy: Awaited<ReturnType<typeof tlsBefore>>;
  beforeAll(async () => {
    proxy = await tlsBefore(Number(spark), trusted);
  });
  afterAll(() => proxy?.close());
  refusals(() => proxy.port);
});
