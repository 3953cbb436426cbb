// The prices that come with Weft, as a file of prices (docs/formats/prices.md shows it, and a test holds the two
// together). Estimates of the order of what resellers' web shops ask, rounded by hand to one or two digits; they are
// nobody's offer. Watts: of the order of data sheets' typical figures, switches without optics.

export const builtInPriceText = `# Estimates, not offers: of the order that resellers ask for one piece. Replace them by your own.
currency: USD
date: "2025"
sources: rounded by hand from the order of resellers' web prices and of data sheets; good to a factor of about 1.5
# copper reaches within a rack
serversPerRack: 4
switches:
  - { name: 32 x 100G, rate: 100Gbps, ports: 32, price: 8000, watts: 150 }
  - { name: 32 x 200G, rate: 200Gbps, ports: 32, split: 2, price: 16000, watts: 300 }
  - { name: 32 x 400G, rate: 400Gbps, ports: 32, split: 4, price: 20000, watts: 600 }
  - { name: 64 x 400G, rate: 400Gbps, ports: 64, split: 4, price: 35000, watts: 750 }
  - { name: 64 x 800G, rate: 800Gbps, ports: 64, split: 2, price: 60000, watts: 950 }
# a cable with both its ends
copper:
  - { rate: 100Gbps, price: 60, watts: 0 }
  - { rate: 200Gbps, price: 120, watts: 0 }
  - { rate: 400Gbps, price: 200, watts: 0 }
  - { rate: 800Gbps, price: 350, watts: 0 }
# two transceivers and a fibre
optics:
  - { rate: 100Gbps, price: 300, watts: 7 }
  - { rate: 200Gbps, price: 800, watts: 11 }
  - { rate: 400Gbps, price: 1600, watts: 18 }
  - { rate: 800Gbps, price: 2800, watts: 32 }
`;
