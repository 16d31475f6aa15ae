/** When people are warned of a thin pool: once for each level that it rises to, and again only after it was well below that. */
import type { ThinLimits } from './contract.ts';
import type { ReportedGroup, ReportedPool } from './node-report.ts';

export type PoolMeasure = 'data' | 'metadata' | 'promised';

export interface PoolWarning {
  readonly measure: PoolMeasure;
  /** `vg/name`. */
  readonly pool: string;
  /** Of the pool. What is promised may be more than it is. */
  readonly percent: number;
  /** Whether anything new is still made in it. */
  readonly isClosed: boolean;
}

/** So much before nothing new is made, people are told. */
const AHEAD_PERCENT = 10;
/** The last time that anybody can do something. */
const ALMOST_FULL_PERCENT = 98;
/** All of it may be promised: as much is there. */
const MORE_THAN_ALL_PERCENT = 100.01;
/** What goes up and down by less than this has not gone down. */
const SLACK_PERCENT = 5;

export class PoolLevels {
  readonly #limits: ThinLimits;
  /** The highest level that was told, by pool and measure. */
  readonly #told = new Map<string, number>();

  constructor(limits: ThinLimits) {
    this.#limits = limits;
  }

  /** What is to be said now. */
  rise(groups: readonly ReportedGroup[]): readonly PoolWarning[] {
    const measured = groups.flatMap(({ name, pools }) => pools.flatMap((pool) => measuresOf(name, pool)));
    const names = new Set(measured.map(keyOf));
    for (const key of this.#told.keys()) if (!names.has(key)) this.#told.delete(key);
    return measured.flatMap((each) => this.#warning(each) ?? []);
  }

  #warning(measured: Measured): PoolWarning | undefined {
    const { measure, percent } = measured;
    const key = keyOf(measured);
    const levels = this.#levelsOf(measure);
    const told = this.#told.get(key) ?? 0;
    const level = levelIn(levels, percent);
    if (level <= told) {
      this.#told.set(key, Math.min(told, levelIn(levels, percent + SLACK_PERCENT)));
      return undefined;
    }
    this.#told.set(key, level);
    return { ...measured, isClosed: percent >= this.#closingAt(measure) };
  }

  #levelsOf(measure: PoolMeasure): readonly number[] {
    const closing = this.#closingAt(measure);
    return measure === 'promised'
      ? [MORE_THAN_ALL_PERCENT, closing]
      : [closing - AHEAD_PERCENT, closing, ALMOST_FULL_PERCENT];
  }

  /** From where on nothing new is made. */
  #closingAt(measure: PoolMeasure): number {
    const { dataPercent, metadataPercent, overcommit } = this.#limits;
    if (measure === 'promised') return overcommit * 100;
    return measure === 'data' ? dataPercent : metadataPercent;
  }
}

type Measured = Omit<PoolWarning, 'isClosed'>;

function measuresOf(group: string, { name, sizeBytes, promisedBytes, ...use }: ReportedPool): readonly Measured[] {
  const pool = `${group}/${name}`;
  const measured = {
    data: use.dataPercent,
    metadata: use.metadataPercent,
    promised: percentOf(promisedBytes, sizeBytes),
  };
  return Object.entries(measured).flatMap(([measure, percent]) =>
    percent === undefined ? [] : [{ pool, measure: measure as PoolMeasure, percent }],
  );
}

const percentOf = (part: number, whole: number): number | undefined => (whole > 0 ? (part / whole) * 100 : undefined);
const keyOf = ({ pool, measure }: Measured): string => `${pool} ${measure}`;
const levelIn = (levels: readonly number[], percent: number): number =>
  levels.filter((level) => percent >= level).length;
