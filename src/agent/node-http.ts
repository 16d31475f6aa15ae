/**
 * Node's HTTP server without what nobody here needs: who imports `node:http` as a module gets all that it exports, and with that the
 * WebSocket client and the whole of undici behind it, which takes 15 MB of the 100 that an agent has.
 */
export const { createServer } = process.getBuiltinModule('node:http');
