/** Why a volume is left as it is: each reason is named after the fact that it rests on, and can be told in a sentence. */
import { quote } from '../kit/invalid-value.ts';
import { LONGEST_LABEL_PART } from '../kit/names.ts';
import { namesPlace } from './contract.ts';

/** A label that stands there with another value than it would get. */
export interface Difference {
  readonly key: string;
  readonly is: string;
  readonly wanted: string;
  /** Who wrote what is there; nobody when it was us. */
  readonly writer?: string;
}

/** Those that are not of our own writing. */
export const foreign = (differences: readonly Difference[]): readonly Difference[] =>
  differences.filter(({ writer }) => writer !== undefined);

export type Reason =
  | { readonly fact: 'alreadyRight' }
  | { readonly fact: 'accessModeIsLeftOut'; readonly modes: readonly string[] }
  | { readonly fact: 'volumeIsUnclaimed' }
  | { readonly fact: 'claimIsGone'; readonly claim: string }
  | { readonly fact: 'claimIsNotBound'; readonly claim: string }
  | { readonly fact: 'noPodUsesIt'; readonly claim: string }
  | { readonly fact: 'noPodIsReady'; readonly pods: readonly string[] }
  | { readonly fact: 'nodeIsGone'; readonly node: string; readonly pod: string }
  | { readonly fact: 'nodeHasNoTopology'; readonly node: string; readonly pod: string }
  | { readonly fact: 'nodeValueIsUnusable'; readonly node: string; readonly key: string; readonly fault: string }
  | { readonly fact: 'aUserWouldBeLeftOut'; readonly node: string; readonly key: string; readonly pod: string }
  | { readonly fact: 'placesDoNotFit'; readonly key: string; readonly label: string }
  | { readonly fact: 'usedInSeveralPlaces'; readonly key: string; readonly values: readonly string[] }
  | { readonly fact: 'anotherValueIsKept'; readonly differences: readonly Difference[] };

export type Fact = Reason['fact'];

/** One sentence, without a full stop, that says why and, where a person can do something about it, what. */
export function explain(reason: Reason): string {
  switch (reason.fact) {
    case 'alreadyRight':
      return 'it has the labels that it should have';
    case 'accessModeIsLeftOut':
      return `its access modes (${reason.modes.join(', ') || 'none'}) are not all among those of --access-modes`;
    case 'volumeIsUnclaimed':
      return 'no claim has it';
    case 'claimIsGone':
      return `its claim ${reason.claim} is gone`;
    case 'claimIsNotBound':
      return `its claim ${reason.claim} is not bound to it`;
    case 'noPodUsesIt':
      return `no pod mounts its claim ${reason.claim}`;
    case 'noPodIsReady':
      return `no pod that mounts it is ready: ${someOf(reason.pods)}`;
    case 'nodeIsGone':
      return `there is no node ${reason.node}, on which its pod ${reason.pod} is said to run`;
    case 'nodeHasNoTopology':
      return `node ${reason.node}, where its pod ${reason.pod} runs, has neither a zone nor a region: label the node`;
    case 'nodeValueIsUnusable':
      return `the label ${reason.key} of node ${reason.node} cannot stand on a volume: ${reason.fault}`;
    case 'aUserWouldBeLeftOut':
      return `node ${reason.node} has no ${reason.key}, which would keep its pod ${reason.pod} from coming back to it: label the node`;
    case 'placesDoNotFit':
      return `${reason.key} would have ${reason.label.length} characters, and ${LONGEST_LABEL_PART} is the most: ${remedyOfTooLong(reason.key)}`;
    case 'usedInSeveralPlaces':
      return `it is used in several places (${reason.key}: ${reason.values.join(', ')}), and --multi-zone=skip leaves ${namesPlace(reason.key) ? 'it alone' : 'that label out'}`;
    case 'anotherValueIsKept':
      return `${reason.differences.map(explainDifference).join('; ')}; --overwrite=missing keeps it`;
  }
}

const remedyOfTooLong = (key: string): string =>
  `use --multi-zone=first or skip${namesPlace(key) ? '' : ', or leave it out of --label-keys'}`;

const explainDifference = ({ key, is, wanted, writer = 'Holdfast' }: Difference): string =>
  `${key} is ${quote(is)}, written by ${writer}, and would be ${quote(wanted)}`;

const MOST_NAMES = 3;

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
