// What a data packet says besides its number.

/** tiers of data packets and OmniNACKs; from repeated on they count, up to most */
export const Tier = { new: 0, first: 1, repeated: 2, most: 250, probe: 255 } as const;

/** A data packet that has come; one object for all of them. */
export interface Arrival {
  tier: number;
  /** where the OmniNACK that it answers said that the map is */
  place: number;
  /** the number of that; 0: it answers none */
  answered: number;
  /** nothing follows for now: the current map is closed */
  closes: boolean;
}
