/** The API client's metrics, under the names, labels and buckets of client-go. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { CallRecord } from '../../kube/caller.ts';

const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** `host` is the API server's host and port, as it stands in its URL. */
export function restClientFamily(registry: Registry): (host: string) => (call: CallRecord) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const duration = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds. Broken down by verb and host.',
    labelNames: ['verb', 'host'],
    buckets: BUCKETS,
    registers,
  });
  return (host) =>
    ({ code, method, seconds }) => {
      requests.inc({ code, method, host });
      duration.observe({ verb: method, host }, seconds);
    };
}
