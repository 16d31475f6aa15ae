/** `/healthz`, `/livez` and `/readyz`, answered in the words of Kubernetes' own components. */
import type { CheckResult, Checks, Kind } from './checks.ts';
import type { Answer, Route } from './http-endpoint.ts';

const KINDS: Readonly<Record<string, Kind>> = { healthz: 'live', livez: 'live', readyz: 'ready' };

/** `/readyz` for all checks, `/readyz/NAME` for one, `?verbose` for every line, `?exclude=NAME` to leave one out. */
export function healthRoute(checks: Checks): Route {
  return async ({ pathname, searchParams }) => {
    const [, page = '', name, ...more] = pathname.split('/');
    const kind = KINDS[page];
    if (kind === undefined || more.length > 0) return undefined;
    const names = checks.names(kind);
    if (name) return names.includes(name) ? one(await checks.run([name])) : undefined;
    const excluded = new Set(searchParams.getAll('exclude'));
    const results = await checks.run(names.filter((each) => !excluded.has(each)));
    return all(page, names, results, excluded, searchParams.has('verbose'));
  };
}

function one([result]: readonly CheckResult[]): Answer {
  return result?.fault === undefined ? ok('ok') : failed(`internal server error: ${result.fault}\n`);
}

function all(
  page: string,
  names: readonly string[],
  results: readonly CheckResult[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): Answer {
  const isWell = results.every((result) => result.fault === undefined);
  if (isWell && !verbose) return ok('ok');
  const byName = new Map(results.map((result) => [result.name, result]));
  const lines = names.map((name) => line(name, byName.get(name)));
  const strangers = [...excluded].filter((name) => !names.includes(name)).map((name) => JSON.stringify(name));
  if (strangers.length > 0) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${strangers.join(',')}`);
  }
  const text = [...lines, `${page} check ${isWell ? 'passed' : 'failed'}`, ''].join('\n');
  return isWell ? ok(text) : failed(text);
}

function line(name: string, result: CheckResult | undefined): string {
  if (result === undefined) return `[+]${name} excluded: ok`;
  return result.fault === undefined ? `[+]${name} ok` : `[-]${name} failed: ${result.fault}`;
}

const TEXT = 'text/plain; charset=utf-8';
const ok = (body: string): Answer => ({ status: 200, contentType: TEXT, body });
const failed = (body: string): Answer => ({ status: 500, contentType: TEXT, body });
