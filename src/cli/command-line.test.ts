import { expect, it } from "vitest";
import { commandLine, withoutSecrets } from "./command-line.js";

it("quotes what a shell would take apart", () => {
  expect(commandLine(["cluster", "a b.csv", "--protect", "sex*race", "--k", "3"])).toBe(
    "moiety cluster 'a b.csv' --protect 'sex*race' --k 3",
  );
  expect(commandLine(["it's"])).toBe("moiety 'it'\\''s'");
});

it("leaves secrets out", () => {
  expect(withoutSecrets("postgres://me:hush@host/db")).toBe("postgres://…@host/db");
  expect(withoutSecrets("SELECT 1 FROM x WHERE password='hush'")).not.toContain("hush");
  expect(withoutSecrets("dbname=people user=me password=hush")).toBe("dbname=people user=me password=…");
  expect(withoutSecrets("CREATE SECRET (TYPE s3, KEY_ID 'hush', SECRET 'hush')")).not.toContain("hush");
  expect(withoutSecrets("https://store/people.csv?X-Amz-Signature=hush&a=1")).toBe(
    "https://store/people.csv?X-Amz-Signature=…&a=1",
  );
  expect(withoutSecrets("--protect secret --k 3")).toBe("--protect secret --k 3");
});
