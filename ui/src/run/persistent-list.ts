// A list and a map of which a second one can be had at once: both share what is alike and copy a small part when they write.
// The fold of a run keeps what it knows of calls and iterations in them, so that a moment of the past costs little.

const SIZE = 256;

export interface ReadonlyList<V> {
  readonly length: number;
  at(index: number): V | undefined;
}

export class PersistentList<V> implements ReadonlyList<V> {
  private size = 0;
  private parts: V[][] = [];
  /** Parts that no other list has. */
  private readonly own = new Set<number>();
  /** Entries copied so far, with those of the lists this one was forked from. */
  copied = 0;

  get length(): number {
    return this.size;
  }

  at(index: number): V | undefined {
    return index < 0 || index >= this.size ? undefined : this.parts[Math.floor(index / SIZE)]?.[index % SIZE];
  }

  set(index: number, value: V): void {
    this.part(Math.floor(index / SIZE))[index % SIZE] = value;
    this.size = Math.max(this.size, index + 1);
  }

  push(value: V): void {
    this.set(this.size, value);
  }

  fork(): PersistentList<V> {
    const other = new PersistentList<V>();
    other.size = this.size;
    other.parts = [...this.parts];
    other.copied = this.copied + this.parts.length;
    this.own.clear();
    return other;
  }

  toArray(): V[] {
    const all = this.parts.flat();
    return all.length === this.size ? all : all.slice(0, this.size);
  }

  private part(at: number): V[] {
    const known = this.parts[at];
    if (known && this.own.has(at)) return known;
    const copy = known ? [...known] : [];
    this.copied += copy.length;
    this.own.add(at);
    this.parts[at] = copy;
    return copy;
  }
}

/** Nothing is ever taken out. The places of keys are shared by all forks; a fork that lies behind does not have the later ones. */
export class PersistentMap<V extends object | number> implements ReadonlyMap<string, V> {
  private count = 0;

  constructor(
    private readonly places: Map<string, number> = new Map(),
    private readonly list: PersistentList<V | undefined> = new PersistentList(),
  ) {}

  get size(): number {
    return this.count;
  }

  get copied(): number {
    return this.list.copied;
  }

  get(key: string): V | undefined {
    const place = this.places.get(key);
    return place === undefined ? undefined : this.list.at(place);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): void {
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.places.size;
      this.places.set(key, place);
    }
    if (this.list.at(place) === undefined) this.count++;
    this.list.set(place, value);
  }

  fork(): PersistentMap<V> {
    const other = new PersistentMap<V>(this.places, this.list.fork());
    other.count = this.count;
    return other;
  }

  *entries(): MapIterator<[string, V]> {
    for (const [key, place] of this.places) {
      // Keys stand in the order of their places.
      if (place >= this.list.length) return undefined;
      const value = this.list.at(place);
      if (value !== undefined) yield [key, value];
    }
    return undefined;
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
    return undefined;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
    return undefined;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}
