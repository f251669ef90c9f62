/** The content security policy of every response that is no page: opened by itself it loads and runs nothing, in no frame. */
export const CLOSED_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
