import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import type { BindAddress } from './bind-address.ts';
import { Checks } from './checks.ts';
import { Endpoints, type EndpointsOptions } from './endpoints.ts';
import { Metrics } from './metrics.ts';

const LOOPBACK = { address: { host: '127.0.0.1', port: 0 }, flag: '--health-probe-bind-address' };
const opened: Endpoints[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((endpoints) => endpoints.close()));
});

interface Setting extends Partial<EndpointsOptions> {
  readonly clock?: VirtualClock;
}

async function open(options: Setting = { healthAt: LOOPBACK, metricsAt: LOOPBACK }) {
  const clock = options.clock ?? new VirtualClock();
  const checks = new Checks(clock);
  const endpoints = await Endpoints.open({ metrics: new Metrics(), ...options, clock, checks });
  opened.push(endpoints);
  return { endpoints, checks, clock, health: urlOf(endpoints.healthAddress), metrics: urlOf(endpoints.metricsAddress) };
}

const urlOf = (address: BindAddress | undefined): string => `http://127.0.0.1:${address?.port}`;

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

describe('the health pages', () => {
  it.each(['healthz', 'livez', 'readyz'])('/%s says ok when all is well', async (page) => {
    const { health } = await open();
    expect(await get(`${health}/${page}`)).toEqual({ status: 200, text: 'ok' });
  });

  it('lists every check when asked to be verbose', async () => {
    const { health, checks } = await open();
    checks.add('lease', 'live', () => undefined);
    checks.add('caches', 'ready', () => []);
    expect(await get(`${health}/livez?verbose`)).toEqual({
      status: 200,
      text: '[+]lease ok\n[+]ping ok\nlivez check passed\n',
    });
    expect(await get(`${health}/readyz?verbose=1`)).toEqual({
      status: 200,
      text: '[+]caches ok\n[+]lease ok\n[+]ping ok\nreadyz check passed\n',
    });
  });

  it('tells which check failed and why, without being asked', async () => {
    const { health, checks } = await open();
    checks.add('caches', 'ready', () => ['persistentvolumes are not complete']);
    expect(await get(`${health}/readyz`)).toEqual({
      status: 500,
      text: '[-]caches failed: persistentvolumes are not complete\n[+]ping ok\nreadyz check failed\n',
    });
    expect(await get(`${health}/healthz`)).toEqual({ status: 200, text: 'ok' });
  });

  it('answers for one check by its name', async () => {
    const { health, checks } = await open();
    checks.add('lease', 'live', () => 'nobody renewed it');
    expect(await get(`${health}/healthz/ping`)).toEqual({ status: 200, text: 'ok' });
    expect(await get(`${health}/healthz/lease`)).toEqual({
      status: 500,
      text: 'internal server error: nobody renewed it\n',
    });
    expect((await get(`${health}/healthz/nobody`)).status).toBe(404);
  });

  it('leaves out what it is told to, and says so when there is no such check', async () => {
    const { health, checks } = await open();
    checks.add('lease', 'live', () => 'nobody renewed it');
    expect(await get(`${health}/healthz?verbose&exclude=lease&exclude=x`)).toEqual({
      status: 200,
      text: '[+]lease excluded: ok\n[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "x"\nhealthz check passed\n',
    });
  });

  it('fails, and names the check, when one hangs', async () => {
    const { health, checks, clock } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    checks.add('stuck', 'live', () => {
      resolve();
      return new Promise(() => {});
    });
    const answer = get(`${health}/healthz`);
    await promise;
    await clock.advance(800);
    expect(await answer).toEqual({
      status: 500,
      text: '[+]ping ok\n[-]stuck failed: no answer within 0.8 s\nhealthz check failed\n',
    });
  });
});

describe('the metrics page', () => {
  it('is served in the Prometheus text format', async () => {
    const { metrics } = await open();
    const response = await fetch(`${metrics}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('# TYPE workqueue_depth gauge\n');
  });

  it('is an error of its own when it cannot be made', async () => {
    const broken = { contentType: 'text/plain', page: () => Promise.reject(new Error('no figures')) };
    const { metrics } = await open({ metricsAt: LOOPBACK, metrics: broken });
    expect(await get(`${metrics}/metrics`)).toEqual({ status: 500, text: 'internal server error: no figures\n' });
  });
});

describe('the ports', () => {
  it('are two when two are given, each with its own pages only', async () => {
    const { endpoints, health, metrics } = await open();
    expect(endpoints.healthAddress?.port).not.toBe(endpoints.metricsAddress?.port);
    expect((await get(`${health}/metrics`)).status).toBe(404);
    expect((await get(`${metrics}/healthz`)).status).toBe(404);
  });

  it('are one when both are the same', async () => {
    const at = { ...LOOPBACK, address: { host: '127.0.0.1', port: await freePort() } };
    const { endpoints, health } = await open({ healthAt: at, metricsAt: at });
    expect(endpoints.metricsAddress).toEqual(endpoints.healthAddress);
    expect([(await get(`${health}/healthz`)).status, (await get(`${health}/metrics`)).status]).toEqual([200, 200]);
  });

  it('are none when none is given', async () => {
    const { endpoints } = await open({});
    expect([endpoints.healthAddress, endpoints.metricsAddress]).toEqual([undefined, undefined]);
  });

  it('are all interfaces without a host', async () => {
    const { health } = await open({ healthAt: { ...LOOPBACK, address: { port: 0 } } });
    expect((await get(`${health}/healthz`)).status).toBe(200);
  });

  it('that are taken are told with the flag to change, and nothing is left listening', async () => {
    const taken = await open({ healthAt: LOOPBACK });
    const port = taken.endpoints.healthAddress?.port ?? 0;
    const free = await freePort();
    const flag = '--metrics-bind-address';
    const attempt = Endpoints.open({
      clock: new VirtualClock(),
      checks: taken.checks,
      metrics: new Metrics(),
      healthAt: { address: { host: '127.0.0.1', port: free }, flag: '--health-probe-bind-address' },
      metricsAt: { address: { host: '127.0.0.1', port }, flag },
    });
    await expect(attempt).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port} (--metrics-bind-address): something else listens there already; choose another port, or 0 in place of the address for none`,
    );
    await expect(fetch(`http://127.0.0.1:${free}/healthz`)).rejects.toThrow();
  });

  it('of another machine are told as such', async () => {
    const elsewhere = { address: { host: '192.0.2.1', port: 0 }, flag: '--health-probe-bind-address' };
    await expect(open({ healthAt: elsewhere })).rejects.toThrow('this machine has no such address');
  });
});

describe('strangers', () => {
  it('get 404 for what is not there', async () => {
    const { health } = await open();
    for (const path of ['/', '/healthz/ping/more', '/HEALTHZ', '//healthz', '/healthz%2fping']) {
      expect((await get(`${health}${path}`)).status, path).toBe(404);
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('get 405 for %s', async (method) => {
    const { health } = await open();
    const response = await fetch(`${health}/healthz`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('may ask with HEAD', async () => {
    const { health } = await open();
    const response = await fetch(`${health}/healthz`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '2', '']);
  });

  it('are refused headers without end', async () => {
    const { endpoints } = await open();
    const port = endpoints.healthAddress?.port ?? 0;
    const asked = httpRequest({ host: '127.0.0.1', port, path: '/healthz', headers: { long: 'x'.repeat(9000) } }).end();
    const [response] = await once(asked, 'response');
    expect(response.statusCode).toBe(431);
  });

  it('are told that nonsense is nonsense', async () => {
    const { endpoints } = await open();
    const socket = connect(endpoints.healthAddress?.port ?? 0, '127.0.0.1');
    socket.end('GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('the end', () => {
  it('lets a request under way finish, and takes no other', async () => {
    const { endpoints, checks, health } = await open();
    const begun = Promise.withResolvers<void>();
    const wait = Promise.withResolvers<undefined>();
    checks.add('slow', 'live', () => {
      begun.resolve();
      return wait.promise;
    });
    const stop = new AbortController();
    const ended = endpoints.run(stop.signal);
    const answer = get(`${health}/healthz`);
    await begun.promise;
    stop.abort();
    await expect(fetch(`${health}/livez/ping`)).rejects.toThrow();
    wait.resolve(undefined);
    expect(await answer).toEqual({ status: 200, text: 'ok' });
    await ended;
  });

  it('does not wait for ever for an answer that does not come', async () => {
    const begun = Promise.withResolvers<void>();
    const endless = {
      contentType: 'text/plain',
      page: () => {
        begun.resolve();
        return new Promise<never>(() => {});
      },
    };
    const { endpoints, clock, metrics } = await open({ metricsAt: LOOPBACK, metrics: endless });
    const cut = expect(fetch(`${metrics}/metrics`)).rejects.toThrow();
    await begun.promise;
    const closed = endpoints.close();
    await clock.advance(4999);
    expect(await Promise.race([closed, 'not yet'])).toBe('not yet');
    await clock.advance(1);
    await Promise.all([closed, cut]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
