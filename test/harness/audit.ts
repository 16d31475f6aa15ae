/** The API server's audit log: which requests are recorded, and the records, parsed. */
import { readFile } from 'node:fs/promises';

/** A rule of audit.k8s.io/v1 Policy; the first that matches decides. */
export interface AuditRule {
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly users?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  readonly namespaces?: readonly string[];
}

export interface AuditEvent {
  readonly auditID: string;
  readonly level: AuditRule['level'];
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export const WHO_DID_WHAT: readonly AuditRule[] = [{ level: 'Metadata' }];

/** What the API server asks of itself is never recorded. */
const NOT_ITSELF: AuditRule = { level: 'None', users: ['system:apiserver'] };

export function auditPolicy(rules: readonly AuditRule[]): string {
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'] };
  return JSON.stringify({ ...policy, rules: [NOT_ITSELF, ...rules] });
}

/** In the order of writing. A line that is still being written is left for the next reading. */
export async function readAuditLog(file: string): Promise<readonly AuditEvent[]> {
  const text = await readFile(file, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent);
}
