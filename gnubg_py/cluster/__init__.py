"""Work on the processes of a cluster, on this machine or on many, by ``dask.distributed``.

``connect(2)`` starts two worker processes here, ``connect("tcp://host:8786")`` uses those of a
scheduler that runs. What is returned is given to ``rollout``, ``analyse`` and others as
``workers``. Results are the same to the bit as without. dask is imported by ``connect`` alone.
"""

from gnubg_py.cluster.connecting import connect

__all__ = ["connect"]
