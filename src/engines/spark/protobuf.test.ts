import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage, ReceivedMessage } from "./protobuf.js";

const schema = loadSync(fileURLToPath(new URL("../../../proto/spark-connect.proto", import.meta.url)), {
  keepCase: true,
  longs: Number,
  defaults: true,
});

interface Method {
  readonly requestSerialize: (value: object) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Record<string, unknown>;
  readonly responseSerialize: (value: object) => Buffer;
}

const methods = schema["spark.connect.SparkConnectService"] as unknown as Record<string, Method>;

describe("messages of Spark Connect", () => {
  it("are sent as the schema has them", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (session, sql) => {
        const bytes = encodeMessage({ 1: session, 2: { 1: "me" }, 3: { 2: { 5: { 1: sql } } }, 4: "moiety" });
        expect(methods.ExecutePlan.requestDeserialize(bytes)).toMatchObject({
          session_id: session,
          user_context: { user_id: "me" },
          plan: { command: { sql_command: { sql } } },
          client_type: "moiety",
        });
      }),
    );
    const config = encodeMessage({
      1: "s",
      3: {
        1: {
          1: [
            { 1: "a", 2: "b" },
            { 1: "c", 2: "d" },
          ],
          2: true,
        },
      },
    });
    expect(methods.Config.requestDeserialize(config)).toMatchObject({
      operation: {
        set: {
          pairs: [
            { key: "a", value: "b" },
            { key: "c", value: "d" },
          ],
          silent: true,
        },
      },
    });
    const interrupt = encodeMessage({ 1: "s", 4: 1 });
    expect(methods.Interrupt.requestDeserialize(interrupt)).toMatchObject({ interrupt_type: 1 });
  });

  it("are read as the schema has them", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(1000)), (rows, data, tasks) => {
        const bytes = methods.ExecutePlan.responseSerialize({
          session_id: "s",
          arrow_batch: { row_count: rows, data },
          execution_progress: { stages: tasks.map((count, i) => ({ stage_id: i, num_tasks: count })) },
        });
        const read = new ReceivedMessage(bytes);
        expect(read.text(1)).toBe("s");
        expect(read.message(2).number(1)).toBe(rows);
        expect(Buffer.from(read.message(2).bytes(2)).equals(Buffer.from(data))).toBe(true);
        expect(
          read
            .message(18)
            .messages(1)
            .map((stage) => stage.number(2)),
        ).toEqual(tasks);
        expect(read.has(14)).toBe(false);
      }),
    );
  });

  it("that are cut are refused", () => {
    expect(() => new ReceivedMessage(encodeMessage({ 1: "longer" }).subarray(0, 4))).toThrow(
      /no message of Spark Connect/,
    );
  });
});
