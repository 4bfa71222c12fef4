import { webcrypto } from "node:crypto";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { Identity } from "./kit.js";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const usages: KeyUsage[] = ["sign", "verify"];
type KeyUsage = "sign" | "verify";

x509.cryptoProvider.set(webcrypto);

/** A certificate and its key, in PEM. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly from: Date;
  readonly days: number;
}

/** The federation's own authority, which signs the members' certificates and nothing else. */
export class Authority {
  private constructor(
    readonly certificate: string,
    private readonly root: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  static async create(federation: string, { from, days }: Validity): Promise<Authority> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, usages);
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serial(),
      name: distinguished(federation, "authority", federation),
      notBefore: from,
      notAfter: after(from, days),
      signingAlgorithm: algorithm,
      keys: keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new Authority(root.toString("pem"), root, keys);
  }

  /** The same authority, another time. */
  static async open(certificate: string, key: string): Promise<Authority> {
    const root = new x509.X509Certificate(certificate);
    const bytes = x509.PemConverter.decodeFirst(key);
    const privateKey = await webcrypto.subtle.importKey("pkcs8", bytes, algorithm, true, ["sign"]);
    const publicKey = (await root.publicKey.export(algorithm, ["verify"], webcrypto)) as webcrypto.CryptoKey;
    return new Authority(certificate, root, { privateKey, publicKey });
  }

  async certify(federation: string, { role, name }: Identity, { from, days }: Validity): Promise<Certified> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, usages);
    const use = role === "coordinator" ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: distinguished(federation, role, name),
      issuer: this.root.subject,
      notBefore: from,
      notAfter: after(from, days),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([use]),
        new x509.SubjectAlternativeNameExtension([
          { type: "dns", value: role === "coordinator" ? "coordinator" : name },
          { type: "url", value: `moiety://${federation}/${role}/${name}` },
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(this.root),
      ],
    });
    return { certificate: certificate.toString("pem"), key: await privatePem(keys.privateKey) };
  }

  key(): Promise<string> {
    return privatePem(this.keys.privateKey);
  }
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

function distinguished(federation: string, unit: string, name: string): x509.JsonName {
  return [{ O: [federation] }, { OU: [unit] }, { CN: [name] }];
}

function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] &= 0x7f;
  return Buffer.from(bytes).toString("hex");
}

function after(from: Date, days: number): Date {
  return new Date(from.getTime() + days * 86_400_000);
}
