"""One .npz with all that a machine without the weights package needs: weights in 16 bits, the sentences with their
token numbers, and the float32 reference embeddings."""

import zipfile

import numpy as np

import weights

_WEIGHT = "weight/"


class BundleError(Exception):
    """The file is not such a bundle."""


def save(path, tensors, texts, sentences, reference):
    """Writes `path`. Rows of the vocabulary that no sentence uses are left out, and token numbers count the others."""
    used, numbers = np.unique(np.concatenate(sentences), return_inverse=True)
    arrays = {_WEIGHT + name: tensor for name, tensor in tensors.items()}
    arrays[_WEIGHT + "words"] = tensors["words"][used]
    arrays = {name: tensor.astype(np.float16) for name, tensor in arrays.items()}
    arrays["texts"] = np.array(texts)
    arrays["ids"] = numbers.astype(np.int32)
    arrays["lengths"] = np.array([len(ids) for ids in sentences], dtype=np.int32)
    arrays["reference"] = reference
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def load(path, config):
    """Tensors (float16), texts, sentences as lists of token numbers, and the reference."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):  # np.load takes other formats too.
            raise BundleError(f"{path}: expected an .npz file of --export, found another format")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BundleError(f"{path}: damaged: {error}") from error
    missing = {"texts", "ids", "lengths", "reference"} - arrays.keys()
    if missing:
        raise BundleError(f"{path}: expected the arrays of --export, found none named {', '.join(sorted(missing))}")
    tensors = {name.removeprefix(_WEIGHT): a for name, a in arrays.items() if name.startswith(_WEIGHT)}
    weights.check(tensors, config)
    texts, ids, lengths, reference = (arrays[name] for name in ("texts", "ids", "lengths", "reference"))
    if lengths.ndim != 1 or lengths.min(initial=1) < 1 or lengths.sum() != ids.size or texts.shape != lengths.shape:
        raise BundleError(f"{path}: {texts.size} texts of {lengths.sum()} tokens in all do not fit {ids.size} numbers")
    if reference.shape != (lengths.size, config.hidden):
        raise BundleError(f"{path}: expected {lengths.size} reference embeddings, found shape {reference.shape}")
    ends = np.cumsum(lengths)
    sentences = [ids[end - length : end].tolist() for end, length in zip(ends, lengths)]
    return tensors, texts.tolist(), sentences, reference
