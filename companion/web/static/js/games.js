/* The games that the page can show: each draws its own parts, and knows what can be told by hand of it. */

import * as ahuha from "./ahuha.js";
import * as hoshiBattle from "./hoshi-battle.js";
import * as hoshizora from "./hoshizora.js";
import * as shuhari from "./shuhari.js";

const GAMES = { ahuha, "hoshi-battle": hoshiBattle, hoshizora, shuhari };

/** A view's game: `parts(view)`, `acts` and `words(act, view)`; undefined for one that the page doesn't know. */
export function gameOf(view) {
  return GAMES[view.game];
}
