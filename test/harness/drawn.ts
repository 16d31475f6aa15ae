/** Properties are tried with cases of the fresh seed. */
import { configureGlobal } from 'fast-check';
import { inject } from 'vitest';

configureGlobal({ seed: inject('freshSeed') });
