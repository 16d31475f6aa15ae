/** The client of those who use a cluster all the time: what the API server cannot answer now is asked again, and is not done twice. */
import type { RawClient, RawObject } from '../../test/harness/raw-client.ts';
import { eventually } from '../../test/harness/wait.ts';

const PATIENCE_MS = 240_000;
const INTERVAL_MS = 500;

export class PatientClient {
  readonly #admin: RawClient;

  constructor(admin: RawClient) {
    this.#admin = admin;
  }

  /** Also when it was made by an attempt whose answer got lost. */
  async create(path: string, body: object): Promise<void> {
    await this.#until(`POST ${path}`, async () => this.#admin.request('POST', path, body), [200, 201, 409]);
  }

  async patch(path: string, body: object): Promise<void> {
    await this.#until(`PATCH ${path}`, () => this.#admin.request('PATCH', path, body, MERGE), [200]);
  }

  async remove(path: string, options?: object): Promise<void> {
    await this.#until(`DELETE ${path}`, () => this.#admin.request('DELETE', path, options), [200, 202, 404]);
  }

  /** Undefined when there is none. */
  async find<T extends RawObject = RawObject>(path: string): Promise<T | undefined> {
    const { status, body } = await this.#until(`GET ${path}`, () => this.#admin.request<T>('GET', path), [200, 404]);
    return status === 404 ? undefined : body;
  }

  async list<T extends RawObject = RawObject>(path: string): Promise<readonly T[]> {
    return await patiently(`the list of ${path}`, async () => (await this.#admin.list<T>(path)).items);
  }

  async #until<T extends { readonly status: number; readonly body: unknown }>(
    what: string,
    ask: () => Promise<T>,
    welcome: readonly number[],
  ): Promise<T> {
    return await patiently(what, async () => {
      const answer = await ask();
      if (!welcome.includes(answer.status)) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer;
    });
  }
}

const MERGE = 'application/merge-patch+json';

/** Waits for what has to come about, API server or not. */
export const patiently = <T>(what: string, holds: () => Promise<T>): Promise<T> =>
  eventually(holds, { timeout: PATIENCE_MS, interval: INTERVAL_MS, for: what });
