/** Does what the job asks on the node itself. */
import type { KubeClient } from '../kit/kube/client.ts';
import type { Content, Declared } from './decide.ts';
import type { Leaving } from './decide-removal.ts';
import { Encryption } from './encryption.ts';
import { Freezing } from './freezing.ts';
import type { KeyRing } from './key-ring.ts';
import { LocalNode, type NodeParts } from './local-node.ts';
import type { Going, Machine } from './machine.ts';
import { Making } from './making.ts';
import type { Look, Sight } from './sight.ts';
import type { Step } from './steps.ts';
import { TakingAway } from './taking-away.ts';

export interface MachineParts extends NodeParts {
  readonly client: KubeClient;
  /** The uid of the cluster. */
  readonly cluster: string;
  /** For volumes that are looked after for long. */
  readonly keyRing?: KeyRing | undefined;
}

export class RealMachine implements Machine {
  readonly #node: LocalNode;
  readonly #encryption: Encryption;
  readonly #freezing: Freezing;
  readonly #making: Making;
  readonly #takingAway: TakingAway;

  constructor(parts: MachineParts) {
    this.#node = new LocalNode(parts);
    this.#encryption = new Encryption({ ...parts, node: this.#node });
    this.#freezing = new Freezing(this.#node);
    const given = { ...parts, node: this.#node, encryption: this.#encryption, freezing: this.#freezing };
    this.#making = new Making(given);
    this.#takingAway = new TakingAway(given);
  }

  join(): Disposable {
    return this.#node.join();
  }

  look(): Promise<Look> {
    return this.#node.look();
  }

  content(declared: Declared, sight: Sight, signal: AbortSignal): Promise<Content> {
    return this.#making.content(declared, sight, signal);
  }

  make(step: Step, declared: Declared, sight: Sight, signal: AbortSignal): Promise<string | undefined> {
    return this.#making.make(step, declared, sight, signal);
  }

  renewKeys(declared: Declared, sight: Sight, signal: AbortSignal): Promise<void> {
    return this.#node.away(() => this.#encryption.renewKeys(declared, sight, signal));
  }

  takeAway(step: Step, leaving: Leaving, sight: Sight, going: Going): Promise<void> {
    return this.#takingAway.takeAway(step, leaving, sight, going);
  }

  thaw(): Promise<void> {
    return this.#freezing.thawAll();
  }

  namesIn(directory: string): Promise<readonly string[]> {
    return this.#node.namesIn(directory);
  }

  removeMountPoint(path: string): Promise<boolean> {
    return this.#takingAway.removeMountPoint(path);
  }
}
