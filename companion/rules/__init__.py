"""Pure adjudication on values: no clock, camera, serial, randomness or files. Imports itself and the standard library only."""
