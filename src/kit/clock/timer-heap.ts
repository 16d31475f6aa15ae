/** Timers in the order in which they fall due, those of the same time as they were set. Adding, taking and removing one costs the logarithm of how many there are. */

export interface Timer {
  readonly at: number;
  readonly call: () => void;
}

interface Place extends Timer {
  readonly order: number;
  /** Where it stands in the heap; -1 when it does not. */
  index: number;
}

export class TimerHeap {
  readonly #heap: Place[] = [];
  #set = 0;

  get size(): number {
    return this.#heap.length;
  }

  get first(): Timer | undefined {
    return this.#heap[0];
  }

  /** Gives back how to take it out again. */
  add({ at, call }: Timer): () => void {
    const place: Place = { at, call, order: this.#set++, index: this.#heap.length };
    this.#heap.push(place);
    this.#up(place);
    return () => this.#remove(place);
  }

  takeFirst(): Timer | undefined {
    const [first] = this.#heap;
    if (first) this.#remove(first);
    return first;
  }

  #remove(place: Place): void {
    const { index } = place;
    const last = this.#heap[this.#heap.length - 1];
    if (index < 0 || !last) return;
    this.#heap.pop();
    place.index = -1;
    if (last === place) return;
    this.#put(last, index);
    this.#up(last);
    this.#down(last);
  }

  #up(place: Place): void {
    for (let parent = this.#heap[(place.index - 1) >> 1]; place.index > 0 && parent; ) {
      if (!isBefore(place, parent)) return;
      this.#swap(place, parent);
      parent = this.#heap[(place.index - 1) >> 1];
    }
  }

  #down(place: Place): void {
    for (let child = this.#earlierChild(place); child && isBefore(child, place); child = this.#earlierChild(place))
      this.#swap(child, place);
  }

  #earlierChild({ index }: Place): Place | undefined {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return left && right && isBefore(right, left) ? right : left;
  }

  #swap(rising: Place, sinking: Place): void {
    const { index } = sinking;
    this.#put(sinking, rising.index);
    this.#put(rising, index);
  }

  #put(place: Place, index: number): void {
    this.#heap[index] = place;
    place.index = index;
  }
}

const isBefore = (one: Place, other: Place): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
