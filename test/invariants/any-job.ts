/** What holds for every job, whatever goes wrong: each of these gives back, in sentences, in what it does not hold. */

/** Who does not lead does not write: a request that comes to the server was sent by the holder of the lease. */
export function onlyTheLeaderWrites(seen: {
  readonly writer: string;
  readonly holder: string | undefined;
  readonly call: string;
}): readonly string[] {
  const { writer, holder, call } = seen;
  return writer === holder ? [] : [`${writer} writes (${call}), and ${holder ?? 'nobody'} leads`];
}

/** The end is the same as when nothing goes wrong. */
export function theEndIsTheSame(end: unknown, undisturbed: unknown): readonly string[] {
  const [is, shouldBe] = [JSON.stringify(end), JSON.stringify(undisturbed)];
  return is === shouldBe ? [] : [`the end is ${is}, and undisturbed it is ${shouldBe}`];
}

/** So many times more writes than undisturbed, and so many more. */
export interface WriteBudget {
  readonly times: number;
  readonly more: number;
}

/** Faults cost writes, but not many. Both are counts by job. */
export function theWriteBudgetIsKept(
  writes: ReadonlyMap<string, number>,
  undisturbed: ReadonlyMap<string, number>,
  { times, more }: WriteBudget,
): readonly string[] {
  return [...writes].flatMap(([job, count]) => {
    const usual = undisturbed.get(job) ?? 0;
    return count <= times * usual + more ? [] : [`${job} wrote ${count} times, undisturbed ${usual}`];
  });
}
