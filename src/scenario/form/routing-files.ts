// The files that `routing` may name, and what each is for: documentation, editors and the form of a scenario have it
// from here.

/** By key of `routing`. */
export const routingFiles: Readonly<Record<string, string>> = {
  sourcePorts:
    'file with the source port of pairs of hosts, which decides their way by the hash (weft route source-ports ' +
    'writes it), relative to the scenario; other pairs count their ports',
  tables:
    'file with the forwarding tables of all switches, as weft route compute and OpenSM write them, relative to ' +
    'the scenario; routing.algorithm: tables goes by it',
  serviceLevels:
    'file with the service level of pairs of hosts (path records: weft route compute --lanes-out or OpenSM), relative to the scenario; needs backend: credit',
  sl2vl:
    "file with the lane of every service level between the ports of switches (OpenSM's SL2VL tables), relative to the scenario; needs backend: credit",
};
