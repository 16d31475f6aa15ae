/** Patterns as the server understands them (RE2). Those of definitions and policies are asked again and again: each is compiled once. */
import { RE2JS } from 're2js';
import { remembering } from './remembering.ts';

/** Throws for what is no pattern. */
export const patternOf: (text: string) => RE2JS = remembering((text) => RE2JS.compile(text));
