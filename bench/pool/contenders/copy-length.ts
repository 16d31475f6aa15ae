/** Before each file of the copy comes how many bytes it has, as a number of so many bytes. */
export const LENGTH_BYTES = 8;
