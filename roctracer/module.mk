# SPDX-License-Identifier: MIT
# libroctracer64.so.4: so far its HSA API.

include roctracer/hsa_api.mk
