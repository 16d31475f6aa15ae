/** What can go wrong with a pool. Each says which agent it was, what it means for the blob, and what to do. */
import type { Peer, Reason } from './protocol.ts';

/** An agent did not answer, or its answer broke off: nobody knows whether it has the blob, or has done what it was asked. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly agent: string;

  constructor(agent: Peer, what: string, cause?: unknown) {
    const why = cause instanceof Error ? cause.message || cause.name : String(cause ?? 'no answer');
    super(`the agent ${agent.name} (${agent.url}) did not answer ${what}: ${why}`, { cause });
    this.agent = agent.name;
  }
}

/** An agent answered that it will not. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly agent: string;
  readonly status: number;
  /** Nothing when it is none that we know: whatever answered is not one of our agents. */
  readonly reason: Reason | undefined;

  constructor(agent: Peer, what: string, status: number, refusal: { reason?: Reason | undefined; message: string }) {
    super(`the agent ${agent.name} (${agent.url}) refused ${what} with ${status}: ${refusal.message}`);
    this.agent = agent.name;
    this.status = status;
    this.reason = refusal.reason;
  }
}

/** An agent answered what cannot be, such as that it has stored other bytes than it was given. Nothing that it says counts. */
export class Untrue extends Error {
  override readonly name = 'Untrue';
  readonly agent: string;

  constructor(agent: Peer, what: string, why: string) {
    super(`the agent ${agent.name} (${agent.url}) answered ${what} with what cannot be: ${why}`);
    this.agent = agent.name;
  }
}

/** Other bytes are stored under the key. Blobs are never replaced: choose another key, or remove the blob first. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly agent: string;

  constructor(agent: string, key: string) {
    super(
      `the agent ${agent} holds other bytes under the key ${JSON.stringify(key)}; blobs are never replaced: ` +
        'choose another key, or remove that blob first',
    );
    this.agent = agent;
  }
}

/** What was read is not what was stored. */
export class Corrupt extends Error {
  override readonly name = 'Corrupt';
}

/** Every agent that could be asked has said why it takes no blob. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';

  constructor(key: string, failures: readonly Error[]) {
    const why = failures.map(({ message }) => message).join('; ');
    super(`no agent takes the blob ${JSON.stringify(key)}: ${why || 'the pool has no agents'}`, {
      cause: new AggregateError(failures),
    });
  }
}

/** Whether the blob is there cannot be told. It is not "not found": try again when the agents that are named answer. */
export class Unknown extends Error {
  override readonly name = 'Unknown';
  /** Those that did not answer. */
  readonly agents: readonly string[];

  constructor(key: string, failures: readonly (Error & { readonly agent?: string })[]) {
    const why = failures.map(({ message }) => message).join('; ');
    super(`cannot tell whether the blob ${JSON.stringify(key)} is there: ${why}`, {
      cause: new AggregateError(failures),
    });
    this.agents = failures.flatMap(({ agent }) => agent ?? []);
  }
}
