import { randomBytes } from "node:crypto";
import type { ClientAuth, Configuration } from "openid-client";
import { MoietyError } from "../errors.js";
import type { Log } from "../federation/log.js";
import { optionalPackage } from "../optional-package.js";
import { isSafe, type OidcSettings } from "./oidc-settings.js";
import { type PagePerson, personOf } from "./person.js";

type OpenId = typeof import("openid-client");

/** A log-in that was begun in a tab: only that tab knows its name, and it can be finished once. */
interface LoginAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirect: string;
}

/** Somebody who has logged in, until the signal. */
export interface LoginSession {
  readonly person: string;
  readonly over: AbortSignal;
}

/** Anybody on this machine can begin log-ins: the oldest are forgotten. */
const mostAttempts = 100;
/** Seconds for an answer of the provider. */
const patience = 15;

/** Settings of a log-in, and what the process has for it. */
export interface LoginOptions {
  readonly settings: OidcSettings;
  /** Undefined for a client that the provider knows to have none. */
  readonly secret: string | undefined;
  readonly log: Log;
}

/**
 * Log-in to a page at a provider of OpenID Connect, by authorization code with PKCE, state and nonce. It says which person uses a
 * member's page; what members trust of each other are certificates, as without it.
 */
export class Login {
  private readonly attempts = new Map<string, LoginAttempt>();
  private readonly sessions = new Map<string, LoginSession & { readonly end: () => void }>();
  private found: Promise<Configuration> | undefined;

  private constructor(
    private readonly openId: OpenId,
    private readonly options: LoginOptions,
  ) {}

  static async load(options: LoginOptions): Promise<Login> {
    return new Login(await optionalPackage<OpenId>("openid-client", "log-in to pages"), options);
  }

  /** The name of this machine that the provider sends people back to. */
  get host(): string {
    return this.options.settings.host;
  }

  /** Where the tab goes to log in, and the attempt's name, which the tab keeps. */
  async begin(redirect: string): Promise<{ readonly attempt: string; readonly address: string }> {
    const { openId } = this;
    const config = await this.provider();
    const [state, nonce, verifier] = [openId.randomState(), openId.randomNonce(), openId.randomPKCECodeVerifier()];
    const address = openId.buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope: this.options.settings.scope,
      state,
      nonce,
      code_challenge: await openId.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).href;
    if (!isSafe(address))
      throw new MoietyError("failed", "the provider's log-in is at an address that is not encrypted");
    const attempt = secret();
    this.attempts.set(attempt, { state, nonce, verifier, redirect });
    for (const oldest of [...this.attempts.keys()].slice(0, -mostAttempts)) this.attempts.delete(oldest);
    return { attempt, address };
  }

  /** `answer` is what the provider sent the tab back with, as it stands in its address. */
  async finish({ attempt, answer }: { readonly attempt: string; readonly answer: string }) {
    const begun = this.attempts.get(attempt);
    this.attempts.delete(attempt);
    if (!begun) throw new MoietyError("usage", "this log-in was not begun in this tab, or is over: log in again");
    const { settings, log } = this.options;
    let found: PagePerson;
    try {
      found = await this.identify(begun, answer);
    } catch (error) {
      log(`nobody was let in to the page: ${(error as Error).message}`, "warning");
      throw error;
    }
    const { name: person, subject } = found;
    log(`${person} (subject ${subject}) logged in to the page`);
    const token = secret();
    const ending = new AbortController();
    const timer = setTimeout(() => end(), settings.minutes * 60_000);
    const end = () => {
      clearTimeout(timer);
      this.sessions.delete(token);
      ending.abort();
    };
    timer.unref();
    this.sessions.set(token, { person, over: ending.signal, end });
    return { token, person };
  }

  session(token: string): LoginSession | undefined {
    return this.sessions.get(token);
  }

  end(token: string): void {
    this.sessions.get(token)?.end();
  }

  /** Whom the provider's answer is about. The package checks state, code, signature, issuer, audience, times and nonce. */
  private async identify({ state, nonce, verifier, redirect }: LoginAttempt, answer: string): Promise<PagePerson> {
    const { openId } = this;
    const config = await this.provider();
    const claims = await this.ask(async () => {
      const address = new URL(redirect);
      address.search = answer;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await openId.authorizationCodeGrant(config, address, checks);
      const told = tokens.claims();
      if (!told || config.serverMetadata().userinfo_endpoint === undefined) return told;
      // Many providers tell addresses and groups only when they are asked.
      return { ...(await openId.fetchUserInfo(config, tokens.access_token, told.sub)), ...told };
    });
    return personOf(claims ?? {}, this.options.settings.allow);
  }

  /** What the provider publishes of itself: asked for with the first log-in, so that a member's process never waits for it. */
  private provider(): Promise<Configuration> {
    this.found ??= this.ask(() => this.discover());
    this.found.catch(() => {
      this.found = undefined;
    });
    return this.found;
  }

  private discover(): Promise<Configuration> {
    const { openId } = this;
    const { settings, secret } = this.options;
    const issuer = new URL(settings.issuer);
    // Signatures are checked although the answers come over TLS.
    const checks = [openId.enableNonRepudiationChecks];
    // Only of this machine: the shape of the settings lets no other pass.
    const execute = issuer.protocol === "http:" ? [openId.allowInsecureRequests, ...checks] : checks;
    const proof = secret === undefined ? openId.None() : this.byWhatItTakes(secret);
    return openId.discovery(issuer, settings.clientId, undefined, proof, { execute, timeout: patience });
  }

  /** The secret in a header, which is the standard's default, or in the body where the provider takes that alone. */
  private byWhatItTakes(secret: string): ClientAuth {
    const { ClientSecretBasic, ClientSecretPost } = this.openId;
    const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
    return (server, ...rest) => {
      const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      return (taken.includes("client_secret_basic") ? basic : post)(server, ...rest);
    };
  }

  /** Says in a sentence what the provider did not do. */
  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (cause) {
      throw new MoietyError("failed", this.sentence(cause as OpenIdError), { cause });
    }
  }

  private sentence(error: OpenIdError): string {
    const { issuer } = this.options.settings;
    const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError, ClientError } = this.openId;
    const isOfClient = error instanceof ResponseBodyError && error.error === "invalid_client";
    if (isOfClient || error instanceof WWWAuthenticateChallengeError) {
      return `the provider ${issuer} does not know this page: check clientId, and its secret in MOIETY_OIDC_SECRET`;
    }
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
      const code = /^[\w.-]{1,60}$/.test(error.error) ? error.error : "for no reason that can be shown";
      return `the provider ${issuer} refused the log-in (${code}): log in again`;
    }
    if (error instanceof ClientError && error.code !== "OAUTH_TIMEOUT") {
      // Names of claims and headers; values are in the details, which are not said.
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      return `the answer of the provider ${issuer} does not hold (${why}): log in again`;
    }
    const why = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.code ?? error.message;
    return `the provider ${issuer} does not answer (${why}): try again later`;
  }
}

interface OpenIdError extends Error {
  readonly code?: string;
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
