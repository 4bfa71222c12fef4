import { MoietyError } from "../../src/errors.js";
import { runProgram } from "../speed/process.js";

export interface Torch {
  readonly python: string;
  readonly version: string;
}

/** The torch of python3, or of the interpreter that MOIETY_PYTHON names; or in a few words why there is none. */
export async function findTorch(signal: AbortSignal): Promise<Torch | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  try {
    const args = ["-c", "import torch; print(torch.__version__)"];
    return { python, version: (await runProgram({ program: python, args, what: python, signal })).trim() };
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} has no torch; MOIETY_PYTHON names another`;
  }
}

/** The same net, with the same norms, on one thread: the least of some steps. */
const script = `
import sys, time, torch
from torch import nn
side, batch, repeats = map(int, sys.argv[1:4])
torch.set_num_threads(1)

class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.GroupNorm(32, after), nn.ReLU(),
                                   nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.GroupNorm(32, after))
        self.cut = nn.Identity() if before == after and stride == 1 else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.GroupNorm(32, after))
    def forward(self, x):
        return torch.relu(self.inner(x) + self.cut(x))

layers = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.GroupNorm(32, 64), nn.ReLU()]
before = 64
for after, stride in [(64, 1), (128, 2), (256, 2), (512, 2)]:
    layers += [Block(before, after, stride), Block(after, after, 1)]
    before = after
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 2))
descent = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(batch, 3, side, side), torch.arange(batch) % 2

def step():
    begun = time.perf_counter()
    descent.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    descent.step()
    return time.perf_counter() - begun

step()
print(min(step() for _ in range(1 + repeats)))
`;

export async function torchStep(
  { python }: Torch,
  { side, batch, repeats }: { readonly side: number; readonly batch: number; readonly repeats: number },
  signal: AbortSignal,
): Promise<number> {
  const args = ["-c", script, String(side), String(batch), String(repeats)];
  return Number(await runProgram({ program: python, args, what: "torch", signal }));
}
