/** A bearer token in a file. */
import { readFile } from 'node:fs/promises';

export async function readToken(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the token file ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  if (text.trim() === '') throw new Error(`the token file ${path} is empty`);
  return text.trim();
}
