/** Everything that somebody tried to do is in the log, also if nothing came of it. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedConsole, type SimulatedOptions } from './simulated-console.ts';

const POST = { 'x-holdfast': '1', 'content-type': 'application/json' };
const approve = { name: 'approve-wipe', to: { node: 'n' }, label: '', consequence: '', confirmed: true };

interface Attempt {
  readonly options?: SimulatedOptions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly path?: string;
}

describe('an attempt', () => {
  test.each<[string, Attempt, number, object]>([
    [
      'that is not allowed here',
      { options: { allowed: [] } },
      403,
      { user: 'tester', cluster: 'here', action: 'approve-wipe', to: { node: 'n' } },
    ],
    ['that is no action', { body: { name: 'format-all' } }, 400, { user: 'tester', cluster: 'here' }],
    ['that is too large', { body: 'x'.repeat(100_000) }, 413, { user: 'tester', cluster: 'here' }],
    ['of another site', { headers: { origin: 'https://evil.example' } }, 403, {}],
    ['of a form', { headers: { 'content-type': 'text/plain' } }, 415, {}],
    ['of nobody', { options: { withTokens: true } }, 401, {}],
    [
      'under another spelling',
      { options: { allowed: [] }, path: '/api/clusters/here/a%63tions/' },
      403,
      { user: 'tester', cluster: 'here', action: 'approve-wipe', to: { node: 'n' } },
    ],
    ['on another cluster', { path: '/api/clusters/elsewhere/actions' }, 404, {}],
  ])('%s is told', async (_what, { options = {}, headers = {}, body = approve, path }, status, about) => {
    await using console = await SimulatedConsole.open(options);
    const asked = { method: 'POST', headers: { ...POST, ...headers }, body: JSON.stringify(body) };
    const answer = await console.ask(path ?? '/api/clusters/here/actions', asked);
    const { problem } = answer.json() as { readonly problem: string };
    expect(answer.status).toBe(status);
    expect(console.log.lines.filter(({ fields }) => fields.audit === true)).toEqual([
      {
        level: 'warn',
        message: problem,
        fields: {
          audit: true,
          path: path ?? '/api/clusters/here/actions',
          ...about,
          status,
          succeeded: false,
        },
      },
    ]);
  });

  test('is nothing that is only looked at', async () => {
    await using console = await SimulatedConsole.open();
    for (const path of ['/api/clusters/here/actions', '/api/clusters/elsewhere/live', '/api/nothing'])
      await console.ask(path);
    expect(console.log.lines.filter(({ fields }) => fields.audit === true)).toEqual([]);
  });

  test('of strangers fills no log: of very many some are told, and how many were not', async () => {
    const clock = new VirtualClock();
    await using console = await SimulatedConsole.open({ clock });
    const headers = { ...POST, origin: 'https://evil.example' };
    const attempt = (path = '/api/clusters/here/actions') => console.ask(path, { method: 'POST', headers, body: '{}' });
    for (let count = 0; count < 80; count++) expect((await attempt()).status).toBe(403);
    const told = () => console.log.lines.filter(({ fields }) => fields.audit === true);
    expect(told()).toHaveLength(50);
    await clock.advance(1_000);
    await attempt(`/api/clusters/${'x'.repeat(5_000)}/actions`);
    expect(told()).toHaveLength(51);
    expect(told().at(-1)?.fields).toMatchObject({ untold: 30, path: expect.stringMatching(/^.{200}$/) });
  });
});
