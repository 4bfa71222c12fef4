import { bcls } from "./bcls/method.js";
import { cdkm } from "./cdkm/method.js";
import { dpFair } from "./dp-fair/method.js";
import { f3km } from "./f3km/method.js";
import { fairLloyd } from "./fair-lloyd/method.js";
import { fairLp } from "./fair-lp/method.js";
import { fairRadius } from "./fair-radius/method.js";
import { fcfc } from "./fcfc/method.js";
import { fkm } from "./fkm/method.js";
import { fkmPlus } from "./fkm-plus/method.js";
import { kfed } from "./kfed/method.js";
import { lloyd } from "./lloyd/method.js";
import { teb } from "./teb/method.js";

/** All clusterers, in the order in which they are listed. A new one is its folder and its place here. */
export const clusterMethods = [
  ...([f3km, teb, lloyd, cdkm, fairLp, fairLloyd, fairRadius] as const),
  ...([fkmPlus, fkm, kfed, dpFair, fcfc, bcls] as const),
] as const;
