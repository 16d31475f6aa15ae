/** What a person is told when every agent has answered and none has it. */
import { quote } from '../../kit/invalid-value.ts';

export const noSuchBlob = (key: string): Error =>
  new Error(`there is no blob ${quote(key)} in the pool: every agent was asked, and none has it`);
