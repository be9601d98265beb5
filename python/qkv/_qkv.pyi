"""The compiled part of the package, for type checkers."""
from collections.abc import Sequence
from typing import Any, Literal, Optional, TypeVar, Union, overload

# Anything with the buffer protocol or __dlpack__: what it is called differs between libraries.
_Array = TypeVar("_Array")
_Other = Any
_Alignment = Literal["top-left", "bottom-right"]
_Window = Union[int, Sequence[Optional[int]], tuple[Optional[int], Optional[int], _Alignment]]
_Claim = tuple[int, tuple[str, str, str, str, str, str, str], Optional[str], bool,
               tuple[tuple[str, tuple[str, ...]], ...], Any]
_Complaint = tuple[int, int, str, str, int]
_Number = tuple[float, float, float, Optional[tuple[float, float]]]
_Row = tuple[str, str, _Number, Optional[_Number]]
_Law = tuple[int, int, int, float, float, bool, float]

version: str

class Tensor:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def type(self) -> Literal["f64", "f32", "f16", "bf16"]: ...
    def __dlpack__(self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
                   dl_device: Any = None, copy: Optional[bool] = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

def kernels() -> tuple[str, ...]: ...

@overload
def attention(q: _Array, k: _Other, v: _Other, *, scale: Optional[float] = None,
              causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
              mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
              softcap: float = 0.0, return_weights: Literal[False] = False,
              return_lse: Literal[False] = False, out: _Other = None,
              threads: Optional[int] = None) -> _Array: ...
@overload
def attention(q: _Array, k: _Other, v: _Other, *, scale: Optional[float] = None,
              causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
              mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
              softcap: float = 0.0, return_weights: Literal[True], return_lse: Literal[False] = False,
              out: _Other = None, threads: Optional[int] = None) -> tuple[_Array, _Array]: ...
@overload
def attention(q: _Array, k: _Other, v: _Other, *, scale: Optional[float] = None,
              causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
              mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
              softcap: float = 0.0, return_weights: Literal[False] = False,
              return_lse: Literal[True], out: _Other = None,
              threads: Optional[int] = None) -> tuple[_Array, _Array]: ...
@overload
def attention(q: _Array, k: _Other, v: _Other, *, scale: Optional[float] = None,
              causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
              mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
              softcap: float = 0.0, return_weights: Literal[True], return_lse: Literal[True],
              out: _Other = None,
              threads: Optional[int] = None) -> tuple[_Array, _Array, _Array]: ...
@overload
def attention(q: _Array, k: _Other, v: _Other, *, scale: Optional[float] = None,
              causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
              mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
              softcap: float = 0.0, return_weights: bool = False, return_lse: bool = False,
              out: _Other = None, threads: Optional[int] = None) -> Any: ...

def operator(q: _Other, k: _Other, v: _Other, *, scale: Optional[float] = None,
             causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
             mask: _Other = None, heads: Optional[int] = None, kv_heads: Optional[int] = None,
             softcap: float = 0.0, return_weights: bool = False,
             return_lse: Union[bool, Literal["f64"]] = False, out: _Other = None,
             threads: Optional[int] = None, alignment: Optional[_Alignment] = None,
             offset: Optional[int] = None, key_lengths: Optional[Sequence[int]] = None,
             kernel: Optional[str] = None,
             scores: Optional[Literal["raw", "capped", "masked", "weights"]] = None) -> Any: ...
def attention_gradient(q: _Other, k: _Other, v: _Other, *, output_gradient: _Other,
                       query_gradient: _Other = None, key_gradient: _Other = None,
                       value_gradient: _Other = None, output: _Other = None,
                       log_sum_exp: _Other = None, scale: Optional[float] = None,
                       causal: Union[bool, _Alignment] = False, window: Optional[_Window] = None,
                       mask: _Other = None, softcap: float = 0.0, threads: Optional[int] = None,
                       alignment: Optional[_Alignment] = None, offset: Optional[int] = None,
                       key_lengths: Optional[Sequence[int]] = None,
                       kernel: Optional[str] = None) -> None: ...

def check(name: str, text: str, /) -> tuple[tuple[_Claim, ...], tuple[_Complaint, ...]]: ...
def explain(name: str, text: str, line: int, label: Optional[str],
            /) -> tuple[tuple[_Claim, ...], tuple[_Complaint, ...]]: ...
def page(name: str, text: str, /) -> str: ...
def sample(name: str, text: str, problem: Optional[str], at: Optional[str], samples: int,
           seed: int, threads: int, error: float,
           /) -> tuple[Any, str, str, str, int, tuple[_Row, ...]]: ...
def sample_draw(samples: Any, first: int, count: int, /) -> Tensor: ...
def law_compute(options: _Law, /) -> dict[str, Any]: ...
def law_enclose(options: _Law, /) -> Optional[dict[str, tuple[float, float]]]: ...
def law_least_beta(options: _Law, failure: float, /) -> tuple[Optional[float], float, float]: ...
def law_best_beta(options: _Law, /) -> tuple[float, dict[str, Any]]: ...
def logit_normal(what: Literal["d", "c", "q"], location: float, scale: float, x: float,
                 /) -> float: ...
def logit_normal_modes(location: float, scale: float, /) -> list[float]: ...
def plot(name: str, words: dict[str, Any], /) -> Any: ...
def plot_claim(name: str, text: str, line: int, label: Optional[str], words: dict[str, Any],
               /) -> Any: ...
def render(figure: Any, format: Literal["svg", "png", "pdf", "text"], zoom: float, /) -> bytes: ...
def cells(weights: _Other, block: int, /) -> tuple[int, int, int, float, float, bytes]: ...
def largest(weights: _Other, count: int, /) -> bytes: ...
