import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

/** A private authority, and the certificate that it gave to `localhost`; all as PEM. */
export interface LocalCertificate {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export async function certifyLocalhost(): Promise<LocalCertificate> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const [own, server] = await Promise.all(
    [0, 1].map(() => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])),
  );
  const day = 86_400_000;
  const valid = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ serialNumber: "01", name: "CN=authority", signingAlgorithm: algorithm, keys: own, ...valid },
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...{
      serialNumber: "02",
      subject: "CN=localhost",
      issuer: authority.subject,
      signingAlgorithm: algorithm,
      ...valid,
    },
    ...{ publicKey: server.publicKey, signingKey: own.privateKey },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", server.privateKey);
  return {
    authority: authority.toString("pem"),
    certificate: certificate.toString("pem"),
    key: x509.PemConverter.encode(key, "PRIVATE KEY"),
  };
}

/** Ends TLS in front of a server that speaks HTTP/2 in the open, as a load balancer does. */
export async function tlsBefore(port: number, { certificate, key }: LocalCertificate) {
  const sockets = new Set<Socket>();
  const proxy = createServer({ cert: certificate, key, ALPNProtocols: ["h2"] }, (client) => {
    const server = connect(port, "127.0.0.1");
    sockets.add(client).add(server);
    client.on("error", () => server.destroy()).pipe(server);
    server.on("error", () => client.destroy()).pipe(client);
  });
  // Whoever does not trust the certificate hangs up.
  proxy.on("tlsClientError", () => undefined);
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  return {
    port: (proxy.address() as { port: number }).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
