/** What tests use of a package that has no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Context {
    readonly oidc?: { readonly route?: string };
    body: { id_token?: string } | undefined;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): RequestListener;
  }
}
