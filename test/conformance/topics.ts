/** The table of contents: every topic, in the order in which it is played. */

import { access } from './cases/access.ts';
import { applying } from './cases/applying.ts';
import { concurrency } from './cases/concurrency.ts';
import { configuration } from './cases/configuration.ts';
import { customResources, definition } from './cases/custom-resources.ts';
import { definitions } from './cases/definitions.ts';
import { deleting } from './cases/deleting.ts';
import { discovery } from './cases/discovery.ts';
import { events } from './cases/events.ts';
import { generations } from './cases/generations.ts';
import { names } from './cases/names.ts';
import { namespaces } from './cases/namespaces.ts';
import { oddRequests } from './cases/odd-requests.ts';
import { pages } from './cases/pages.ts';
import { patches } from './cases/patches.ts';
import { policies } from './cases/policies.ts';
import { protocol } from './cases/protocol.ts';
import { reading } from './cases/reading.ts';
import { selectors } from './cases/selectors.ts';
import { tables } from './cases/tables.ts';
import { trying } from './cases/trying.ts';
import { volumes } from './cases/volumes.ts';
import { watches } from './cases/watches.ts';
import { workloads } from './cases/workloads.ts';
import { writtenPolicies } from './cases/written-policies.ts';
import type { Topic } from './steps.ts';

export const TOPICS: Readonly<Record<string, Topic>> = {
  'Creating and reading': { cases: reading },
  Names: { cases: names },
  Selectors: { cases: selectors },
  Pages: { cases: pages },
  Watches: { cases: watches },
  Concurrency: { cases: concurrency },
  Deleting: { cases: deleting },
  'Generations and status': { cases: generations },
  Patches: { cases: patches },
  'Server-side apply': { cases: applying },
  'Dry runs and field validation': { cases: trying },
  'Volumes and claims': { cases: volumes },
  'Custom resources': { first: definition, cases: customResources },
  Definitions: { cases: definitions },
  'Admission policies': { cases: policies },
  'Policies as they are written': { cases: writtenPolicies },
  'Config maps and secrets': { cases: configuration },
  Workloads: { cases: workloads },
  Namespaces: { cases: namespaces },
  Events: { cases: events },
  Tables: { cases: tables },
  Discovery: { cases: discovery },
  Protocol: { cases: protocol },
  Access: { cases: access },
  'Odd requests': { cases: oddRequests },
};
