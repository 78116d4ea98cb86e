/** Index of the first number above another, in numbers that grow. */
export function firstAbove(list: ArrayLike<number>, above: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? Infinity) > above) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of a number in numbers that grow, -1 when it is not among them. */
export function indexIn(list: ArrayLike<number>, wanted: number): number {
  const at = firstAbove(list, wanted) - 1;
  return list[at] === wanted ? at : -1;
}
