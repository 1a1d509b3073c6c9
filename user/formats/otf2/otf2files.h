/* SPDX-License-Identifier: MIT */
/*
 * The files of an OTF2 archive, which its library makes: in a folder of ours, named by its
 * descriptor, so that no other user can lead the library elsewhere.
 *
 *   traces.otf2  traces.def  traces/N.evt  traces/N.def
 */
#ifndef RTRACE_FORMATS_OTF2_OTF2FILES_H
#define RTRACE_FORMATS_OTF2_OTF2FILES_H

#define OTF2FILES_NAME "traces"

/*
 * Removes an archive that is in the folder. 0 or -errno: -ELOOP if a symbolic link has a name of
 * it, -ENOTEMPTY if there is something else.
 */
int otf2files__remove(int folder);

/* All that the library has made is the caller's, as other files of ours are. */
void otf2files__give(int folder);

#endif
