/** The process's health and metrics pages, on one port or on two. */
import { aborted } from '../clock/aborted.ts';
import type { Clock } from '../clock/clock.ts';
import { type BindAddress, formatBindAddress } from './bind-address.ts';
import type { Checks } from './checks.ts';
import { healthRoute } from './health.ts';
import { HttpEndpoint, type Route } from './http-endpoint.ts';

export interface Listening {
  readonly address: BindAddress;
  /** The flag that the address came from, to be named when it cannot be had. */
  readonly flag: string;
}

export interface EndpointsOptions {
  readonly clock: Clock;
  readonly checks: Checks;
  readonly metrics: { readonly contentType: string; page(): Promise<string> };
  /** Absent: not served. */
  readonly healthAt?: Listening | undefined;
  readonly metricsAt?: Listening | undefined;
}

export class Endpoints {
  readonly name = 'the health and metrics endpoints';
  readonly healthAddress: BindAddress | undefined;
  readonly metricsAddress: BindAddress | undefined;
  readonly #open: readonly HttpEndpoint[];

  private constructor(health: HttpEndpoint | undefined, metrics: HttpEndpoint | undefined) {
    this.healthAddress = health?.address;
    this.metricsAddress = metrics?.address;
    this.#open = [...new Set([health, metrics])].filter((each) => each !== undefined);
  }

  /** Resolves when all listen; if one cannot, none does. */
  static async open(options: EndpointsOptions): Promise<Endpoints> {
    const { healthAt, metricsAt } = options;
    const [health, metrics] = [healthRoute(options.checks), metricsRoute(options.metrics)];
    if (healthAt && metricsAt && isSame(healthAt.address, metricsAt.address)) {
      const both = await HttpEndpoint.open({ ...healthAt, clock: options.clock, routes: [health, metrics] });
      return new Endpoints(both, both);
    }
    const first = healthAt && (await HttpEndpoint.open({ ...healthAt, clock: options.clock, routes: [health] }));
    try {
      const second = metricsAt && (await HttpEndpoint.open({ ...metricsAt, clock: options.clock, routes: [metrics] }));
      return new Endpoints(first, second);
    } catch (error) {
      await first?.close();
      throw error;
    }
  }

  /** Serves until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((endpoint) => endpoint.close()));
  }
}

/** Two that ask for any free port ask for two. */
const isSame = (a: BindAddress, b: BindAddress): boolean =>
  a.port !== 0 && formatBindAddress(a) === formatBindAddress(b);

function metricsRoute(metrics: EndpointsOptions['metrics']): Route {
  return async ({ pathname }) => {
    if (pathname !== '/metrics') return undefined;
    return { status: 200, contentType: metrics.contentType, body: await metrics.page() };
  };
}
