/** What work has failed with; nothing when it has not. */
export async function failureOf(work: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
