/* SPDX-License-Identifier: MIT */
/* The one function of libplugin.so. */
#ifndef AGENT_PLUGIN_H
#define AGENT_PLUGIN_H

/* Uses a GPU from hsa_init to hsa_shut_down and prints what it has counted. */
__attribute__((visibility("default"))) void plugin__run(const char *code_object);

#endif
