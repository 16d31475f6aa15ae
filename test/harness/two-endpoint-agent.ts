/**
 * A storage agent that speaks no more than the original's two endpoints: `node two-endpoint-agent.ts HOST:PORT`. It holds nothing, and
 * forgets its state when it ends. What the file `says.json` in its volume holds it says instead, whether it is true or not.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';

/** `silent`: it takes requests and never answers. `code`: with this status, and nothing else. `stays`: an order changes nothing. `slow`: it is not done yet. */
export interface Sayings {
  readonly state?: string;
  readonly total?: number;
  readonly used?: number;
  readonly blobs?: number;
  readonly generation?: number;
  readonly silent?: boolean;
  readonly code?: number;
  readonly stays?: boolean;
  readonly slow?: boolean;
}

const { PV_PATH = '.', POD_NAME = 'agent' } = process.env;
const [host, port] = (process.argv[2] ?? '').split(':');
let wasTold = false;

function sayings(): Sayings {
  try {
    return JSON.parse(readFileSync(join(PV_PATH, 'says.json'), 'utf8'));
  } catch {
    return {};
  }
}

const server = createServer(({ method, url }, response) => {
  const { silent = false, code, stays = false, slow = false, ...said } = sayings();
  if (silent) return;
  const isOrder = method === 'PUT' && url === '/manage-agent/decommission';
  wasTold ||= isOrder && !stays;
  const state = wasTold ? (slow ? 'Decommissioning' : 'Decommissioned') : 'Ready';
  const isKnown = isOrder || (method === 'GET' && url === '/status');
  const status = { name: POD_NAME, total: 2 ** 30, used: 0, state, ...said };
  response.writeHead(code ?? (isKnown ? 200 : 404), { 'content-type': 'application/json' });
  response.end(isKnown && !code ? JSON.stringify(status) : '');
});
if (host && port) server.listen(Number(port), host);
