"""What a good engineer would search neighbours with: torch.topk in blocks, faiss where it is installed."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import torch

BLOCK = 1024  # rows of a product that fit the processor's cache better than all of them
Search = Callable[[torch.Tensor, torch.Tensor, int], tuple[torch.Tensor, torch.Tensor]]


def torch_search(queries: torch.Tensor, keys: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k largest products of each query and where they are."""
    tops = [torch.topk(block @ keys.T, k) for block in queries.split(BLOCK)]
    return torch.cat([top.values for top in tops]), torch.cat([top.indices for top in tops])


def faiss_search(queries: torch.Tensor, keys: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Do the same by an exact index of faiss."""
    import faiss

    index = faiss.IndexFlatIP(keys.shape[1])
    index.add(keys.numpy())
    values, places = index.search(queries.numpy(), k)
    return torch.from_numpy(values), torch.from_numpy(places)


def searches() -> dict[str, Search]:
    """Return the ways to search that are installed."""
    return {"torch.topk": torch_search, **({"faiss": faiss_search} if find_spec("faiss") else {})}


def unit(matrix: np.ndarray) -> torch.Tensor:
    """Scale rows to length 1."""
    return torch.nn.functional.normalize(torch.from_numpy(matrix))
