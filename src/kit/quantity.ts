/** An amount of a resource, such as `10Gi` or `500m`: Kubernetes' `resource.Quantity`, exact at any size, never changed in place. */
import { divideUp, NANO, type QuantityFormat, readAmount, writeAmount } from './quantity-syntax.ts';

export class Quantity {
  readonly #nano: bigint;
  readonly #format: QuantityFormat;

  private constructor(nano: bigint, format: QuantityFormat) {
    this.#nano = nano;
    this.#format = format;
  }

  /** Reads what the API server reads, to the same value; throws `InvalidValue` on what it refuses. */
  static parse(text: string): Quantity {
    const { nano, format } = readAmount(text);
    return new Quantity(nano, format);
  }

  static ofBytes(bytes: bigint, format: QuantityFormat = 'BinarySI'): Quantity {
    return new Quantity(bytes * NANO, format);
  }

  /** The value in billionths. */
  get nano(): bigint {
    return this.#nano;
  }

  /** Negative when this is less than the other, zero when the values are equal, however they are written. */
  compare(other: Quantity): -1 | 0 | 1 {
    if (this.#nano === other.#nano) return 0;
    return this.#nano < other.#nano ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.#nano === other.#nano;
  }

  /** The sum, written like this quantity, or like the other one when this is zero. */
  plus(other: Quantity): Quantity {
    return new Quantity(this.#nano + other.#nano, this.#formatWith(other));
  }

  /** The difference, written like this quantity, or like the other one when this is zero. */
  minus(other: Quantity): Quantity {
    return new Quantity(this.#nano - other.#nano, this.#formatWith(other));
  }

  #formatWith(other: Quantity): QuantityFormat {
    return this.#nano === 0n ? other.#format : this.#format;
  }

  /** The least whole number that is not less than this. */
  toBytesCeil(): bigint {
    return divideUp(this.#nano, NANO);
  }

  /** The least multiple of `bytes` that is not less than this: what a device that is handed out in pieces of that size has to give. */
  roundUpTo(bytes: bigint): Quantity {
    return new Quantity(roundUpToMultiple(this.#nano, bytes * NANO), this.#format);
  }

  /** The canonical form: `1024Mi` is written `1Gi`, and `0.5` is written `500m`. */
  toString(): string {
    return writeAmount({ nano: this.#nano, format: this.#format });
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The least multiple of `step` that is not less than `value`. */
export function roundUpToMultiple(value: bigint, step: bigint): bigint {
  if (step <= 0n) throw new RangeError(`cannot round up to multiples of ${step}: the step must be positive`);
  return divideUp(value, step) * step;
}
