/** The example of docs/kit.md: a config map that is annotated with a name gets a greeting for it into its data. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { done, Stalled } from '../../../src/kit/controller/outcome.ts';
import { each } from '../../../src/kit/controller/sources.ts';
import { clusterAccess } from '../../../src/kit/kube/cluster-access.ts';
import { type KubeObject, type Resource, refOf } from '../../../src/kit/kube/resource.ts';
import { type ProgramParts, runProgram } from '../../../src/kit/manager/program.ts';
import { stopSignals } from '../../../src/kit/manager/stop-signals.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import { referenceTo } from '../../../src/kit/observe/reference.ts';

// What others rely on.
const ANNOTATION = 'example.dev/greet';
const LONGEST_NAME = 63;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** What the cache keeps of a config map that wants a greeting. Other config maps, and all other fields, are let go. */
function project(object: ConfigMap) {
  const name = object.metadata.annotations?.[ANNOTATION];
  if (name === undefined) return undefined;
  return { name, greeting: object.data?.greeting, reference: referenceTo(CONFIG_MAPS, object) };
}

/** The greeting that has to be written, or nothing when all is as it should be. Pure. */
export function decide(name: string, greeting: string | undefined): string | undefined {
  if (name.length > LONGEST_NAME) {
    throw new Stalled(`the name has ${name.length} characters: shorten ${ANNOTATION} to ${LONGEST_NAME}`);
  }
  const wanted = `Hello, ${name}!`;
  return wanted === greeting ? undefined : wanted;
}

function setUp({ caches, client, events, controller }: ProgramParts) {
  const configMaps = caches.view(CONFIG_MAPS, { project });
  const recorder = events.recorder('example.dev/greeter');
  const greeter = controller({
    name: 'greeter',
    sources: [each(configMaps)],
    async reconcile(key, context) {
      const seen = configMaps.get(key);
      const preconditions = configMaps.identityOf(key);
      if (!seen || !preconditions) return done;
      const greeting = decide(seen.name, seen.greeting);
      if (greeting === undefined) return done;
      const { signal } = context;
      await client.mergePatch(CONFIG_MAPS, refOf(key), { data: { greeting } }, { preconditions, signal });
      recorder.record({
        regarding: seen.reference,
        type: 'Normal',
        reason: 'Greeted',
        action: 'Greet',
        note: greeting,
      });
      return done;
    },
  });
  return [greeter];
}

if (import.meta.main) {
  const clock = systemClock;
  const log = openLog({ clock, level: 'info' });
  using stopping = stopSignals(process, (signal) => log.info({ signal }, 'stopping'));
  const access = await clusterAccess({ clock, env: process.env });
  const instance = `greeter-${randomUUID()}`;
  await runProgram(
    { name: 'greeter', version: '0', instance, access, clock, random: Math.random, log, setUp },
    stopping.signal,
  );
}
