/** An expression as the server would judge it when it is written. What the sandbox cannot read it does not judge. */
import { CelSyntaxError, CelUnsupported, CelUnworded } from '../cel/cel-error.ts';
import { type Checked, checkCel } from '../cel/check.ts';
import { compileCel } from '../cel/expression.ts';
import { ERROR, type StaticType } from '../cel/static-types.ts';
import { notInSandbox } from '../server/refusals.ts';

/** Refuses with 501 what it has no words for, and what it could not evaluate later. */
export function judged(text: string, names: ReadonlyMap<string, StaticType>): Checked {
  try {
    const found = read(text, names);
    if (found.faults.length === 0) compileCel(text, [...names.keys()].filter(isHere));
    return found;
  } catch (error) {
    if (error instanceof CelSyntaxError || error instanceof CelUnsupported)
      throw notInSandbox(`words for what may be wrong with ${JSON.stringify(text)} (${error.message})`);
    throw error;
  }
}

/** The sandbox asks nobody whether somebody may do something. */
const isHere = (name: string): boolean => !name.startsWith('authorizer');

/** Of what is no expression, that is all there is to say. */
function read(text: string, names: ReadonlyMap<string, StaticType>): Checked {
  try {
    return checkCel(text, names);
  } catch (error) {
    if (!(error instanceof CelSyntaxError) || error instanceof CelUnworded) throw error;
    const root = { kind: 'literal', value: null, at: 0 } as const;
    return { root, type: ERROR, faults: [error], types: new Map(), overloads: new Map() };
  }
}

/** What is wrong with it, in one sentence. */
export const faultText = ({ faults }: Checked): string | undefined =>
  faults.length > 0 ? `compilation failed: ${faults.map(({ message }) => message).join('\n')}` : undefined;
