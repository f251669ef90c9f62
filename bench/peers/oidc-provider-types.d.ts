/** The types of oidc-provider that the bench uses; the package has none. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Model {
    grantId: string;
    save(ttlSeconds?: number): Promise<string>;
    addOIDCScope(scope: string): void;
  }
  type ModelClass = new (properties: object) => Model;

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    Client: { find(id: string): Promise<object> };
    AuthorizationCode: ModelClass;
    RefreshToken: ModelClass;
    Grant: ModelClass;
  }
}
