/** Asks a real API server what it makes of values: dry runs that leave nothing behind, many values in a request where the server allows it. */
import type { Answer, RawClient } from '../harness/raw-client.ts';

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

interface ResourceSlice {
  readonly spec: {
    readonly devices: readonly { readonly capacity: Readonly<Record<string, { readonly value: string }>> }[];
  };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CAPACITIES_PER_DEVICE = 32;
const MOST_AT_ONCE = 8;

/** What the server says to each value, in the order of the values. A guess only saves requests: it does not change the answer. */
export class ServerVerdicts {
  readonly #client: RawClient;

  constructor(client: RawClient) {
    this.#client = client;
  }

  /** The quantities as the server writes them back; nothing for those that it cannot read. */
  async quantities<T extends string | number>(
    values: readonly T[],
    guess: (value: T) => boolean,
  ): Promise<(string | undefined)[]> {
    const echoes = new Map<T, string>();
    await this.#sift(values, guess, async (batch) => {
      const answer = await this.#client.request<ResourceSlice & Status>('POST', RESOURCE_SLICES, sliceOf(batch));
      if (answer.status === 400 && /quantit/.test(answer.body.message ?? '')) return false;
      const devices = expectCreated(answer).spec.devices;
      batch.forEach((value, i) => {
        echoes.set(value, devices[Math.floor(i / CAPACITIES_PER_DEVICE)]?.capacity[`c${i}`]?.value ?? 'no echo');
      });
      return true;
    });
    return values.map((value) => echoes.get(value));
  }

  labelKeys(keys: readonly string[], guess: (key: string) => boolean): Promise<boolean[]> {
    return this.#metadata(keys, guess, 'labels', (batch) => batch.map((key) => [key, '']));
  }

  labelValues(values: readonly string[], guess: (value: string) => boolean): Promise<boolean[]> {
    return this.#metadata(values, guess, 'labels', (batch) => batch.map((value, i) => [`l${i}`, value]));
  }

  annotationKeys(keys: readonly string[], guess: (key: string) => boolean): Promise<boolean[]> {
    return this.#metadata(keys, guess, 'annotations', (batch) => batch.map((key) => [key, '']));
  }

  async #metadata(
    values: readonly string[],
    guess: (value: string) => boolean,
    field: 'labels' | 'annotations',
    entries: (batch: readonly string[]) => readonly (readonly [string, string])[],
  ): Promise<boolean[]> {
    const accepted = new Set<string>();
    await this.#sift(values, guess, async (batch) => {
      const metadata = { name: 'values', [field]: Object.fromEntries(entries(batch)) };
      const isAccepted = await this.#accepts(CONFIG_MAPS, { metadata }, `metadata.${field}`);
      if (isAccepted) for (const value of batch) accepted.add(value);
      return isAccepted;
    });
    return values.map((value) => accepted.has(value));
  }

  /** Names of objects that need a DNS name. */
  configMapNames(names: readonly string[]): Promise<boolean[]> {
    return eachOf(names, (name) => this.#accepts(CONFIG_MAPS, { metadata: { name } }, 'metadata.name'));
  }

  /** Names of objects that need a DNS label. */
  namespaceNames(names: readonly string[]): Promise<boolean[]> {
    return eachOf(names, (name) => this.#accepts('/api/v1/namespaces', { metadata: { name } }, 'metadata.name'));
  }

  /** Creates ConfigMaps for good, to be selected from. */
  async createConfigMaps(labels: readonly Readonly<Record<string, string>>[]): Promise<string[]> {
    const created = labels.map((each, i) =>
      this.#client.post(CONFIG_MAPS, { metadata: { name: `selectable-${i}`, labels: each } }),
    );
    return (await Promise.all(created)).map(({ metadata }) => metadata.name);
  }

  /** The names of the ConfigMaps that each label selector selects; nothing for those that the server cannot read. */
  labelSelectors(selectors: readonly string[]): Promise<(readonly string[] | undefined)[]> {
    return eachOf(selectors, async (selector) => {
      const answer = await this.#list(`labelSelector=${encodeURIComponent(selector)}`);
      return answer.status === 400 ? undefined : namesIn(answer);
    });
  }

  /** The same for field selectors; `unknown field` for those that it can read, but that ask for a field that ConfigMaps do not have. */
  fieldSelectors(selectors: readonly string[]): Promise<(readonly string[] | 'unknown field' | undefined)[]> {
    return eachOf(selectors, async (selector) => {
      const answer = await this.#list(`fieldSelector=${encodeURIComponent(selector)}`);
      if (answer.status !== 400) return namesIn(answer);
      return /not a known field selector/.test(answer.body.message ?? '') ? 'unknown field' : undefined;
    });
  }

  #list(query: string): Promise<Answer<ConfigMapList>> {
    return this.#client.request<ConfigMapList>('GET', `${CONFIG_MAPS}?${query}`);
  }

  /** Whether the server would create the object. A refusal must be about the field, so that no other mistake is taken for a verdict. */
  async #accepts(path: string, object: object, field: string): Promise<boolean> {
    const answer = await this.#client.request<Status>('POST', `${path}?dryRun=All`, object);
    const isRefused = answer.status === 422 && answer.body.details?.causes?.some((cause) => cause.field === field);
    if (!isRefused) expectCreated(answer);
    return !isRefused;
  }

  /** Sends those that are guessed right together and the others alone. A batch that is refused is halved until the culprits are alone. */
  async #sift<T>(
    values: readonly T[],
    guess: (value: T) => boolean,
    send: (batch: readonly T[]) => Promise<boolean>,
  ): Promise<void> {
    const distinct = [...new Set(values)];
    const halve = async (batch: readonly T[]): Promise<void> => {
      if (batch.length === 0 || (await send(batch)) || batch.length === 1) return;
      const middle = Math.ceil(batch.length / 2);
      await halve(batch.slice(0, middle));
      await halve(batch.slice(middle));
    };
    await halve(distinct.filter(guess));
    await eachOf(
      distinct.filter((value) => !guess(value)),
      (value) => send([value]),
    );
  }
}

interface ConfigMapList extends Status {
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

function namesIn(answer: Answer<ConfigMapList>): readonly string[] {
  if (answer.status !== 200) throw new Error(`the server answered ${answer.status}: ${answer.body.message}`);
  const names = (answer.body.items ?? []).map(({ metadata }) => metadata.name);
  return names.filter((name) => name.startsWith('selectable-')).sort();
}

/** Capacities of devices are the quantities that the server neither checks nor rounds after it has read them. */
const RESOURCE_SLICES = '/apis/resource.k8s.io/v1/resourceslices?dryRun=All';

function sliceOf(values: readonly (string | number)[]): object {
  const devices = Array.from({ length: Math.ceil(values.length / CAPACITIES_PER_DEVICE) }, (_, device) => {
    const first = device * CAPACITIES_PER_DEVICE;
    const capacity = values.slice(first, first + CAPACITIES_PER_DEVICE).map((value, i) => [`c${first + i}`, { value }]);
    return { name: `d${device}`, capacity: Object.fromEntries(capacity) };
  });
  const pool = { name: 'values', generation: 1, resourceSliceCount: 1 };
  return { metadata: { name: 'values' }, spec: { driver: 'values.example.com', nodeName: 'none', pool, devices } };
}

function expectCreated<T>(answer: Answer<T & Status>): T {
  if (answer.status === 201) return answer.body;
  throw new Error(`the server answered ${answer.status}: ${answer.body.message}`);
}

/** A few at a time, so that the client does not open a connection for each. */
async function eachOf<T, R>(values: readonly T[], ask: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let first = 0; first < values.length; first += MOST_AT_ONCE) {
    results.push(...(await Promise.all(values.slice(first, first + MOST_AT_ONCE).map(ask))));
  }
  return results;
}
