/** The parts of undici that carry requests. Its main entry also brings fetch, WebSockets and caches, which are megabytes of memory and nothing that we use. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
